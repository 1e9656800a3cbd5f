"""Limits of threads hold inside the block only; fits in child processes end."""

import os
import subprocess
import sys
import threading

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from labelferry.core.threads import single_thread
from labelferry.linalg import threads


def n_threads(user_api):
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == user_api}


@pytest.mark.parametrize("user_api", ["blas", "openmp"])
def test_one_thread_inside_and_the_former_number_after(user_api):
    with threadpool_limits(limits=2, user_api=user_api):
        with single_thread(user_api):
            assert n_threads(user_api) <= {1}
        assert n_threads(user_api) <= {2}


IN_A_CHILD = """
import multiprocessing, sys
import joblib
import labelferry

def fit(_):
    demo = labelferry.load_demo()
    result = labelferry.label(demo.texts_source[::6], demo.texts_target[::6], label=demo.y_source[::6])
    model = labelferry.SmoothedLR()
    model.transfer(demo.X_source[::6], demo.y_source[::6], demo.X_target[::6])
    return [*result.labels.tolist(), *model.predict(demo.X_target[1::6]).tolist()]

if __name__ == "__main__":
    here, start = fit(0), sys.argv[1]
    if start == "joblib":
        there = joblib.Parallel(n_jobs=2)(joblib.delayed(fit)(i) for i in range(2))
    else:
        with multiprocessing.get_context(start).Pool(1) as pool:
            there = pool.map_async(fit, [1]).get(timeout=120)
    print(all(labels == here for labels in there))
"""


STARTS = ["fork", *(pytest.param(start, marks=pytest.mark.system) for start in ("forkserver", "spawn", "joblib"))]


@pytest.mark.parametrize("start", STARTS)
def test_a_fit_in_a_child_process_ends_and_gives_the_labels_of_the_parent(tmp_path, start):
    script = tmp_path / "script.py"
    script.write_text(IN_A_CHILD)
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    run = subprocess.run(
        [sys.executable, script, start], capture_output=True, text=True, timeout=300, env=environment, check=True
    )
    assert run.stdout == "True\n"


def test_a_quick_call_does_not_wait_for_a_busy_thread(monkeypatch):
    """While the only other thread works, `each_quickly` makes all calls in this one; afterwards it is free again."""
    monkeypatch.setattr(threads, "n_threads", lambda: 2)
    assert threads.has_free_thread()
    started, stop = threading.Event(), threading.Event()

    def work(name):
        if name == "other":
            started.set()
            assert stop.wait(20)
            return None
        assert started.wait(20)
        assert not threads.has_free_thread()
        names = threads.each_quickly(lambda _: threading.current_thread().name, range(4))
        stop.set()
        return names

    here, _ = threads.each(work, ["this", "other"])
    assert here == [threading.current_thread().name] * 4
    assert threads.has_free_thread()
    assert threads.each_quickly(lambda a, b: a + b, [1, 2], [3, 4]) == [4, 6]
