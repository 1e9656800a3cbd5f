"""Limits of threads hold inside the block only."""

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from labelferry.core.threads import single_thread


def n_threads(user_api):
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == user_api}


@pytest.mark.parametrize("user_api", ["blas", "openmp"])
def test_one_thread_inside_and_the_former_number_after(user_api):
    with threadpool_limits(limits=2, user_api=user_api):
        with single_thread(user_api):
            assert n_threads(user_api) <= {1}
        assert n_threads(user_api) <= {2}
