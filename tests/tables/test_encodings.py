"""Encodings: UTF-8 first, then the named one, then a detected one; and the output has the dialect of the input."""

import gzip
import random
from dataclasses import replace

import pytest

from labelferry.tables import Dialect, Table, check_output, from_texts, read_table, write_table
from labelferry.tables.formats.encodings import check_codec, detect, without_mark

# ruff: noqa: RUF001
TEXTS = {
    "german": ("cp1252", "Die Türklingel läutet nicht. Grüße aus München, 5 €"),
    "french": ("cp1252", "La porte est cassée depuis hier, très bon café à l’étage, ça coûte cher"),
    "spanish": ("cp1252", "El niño está enfermo mañana. ¿Cuándo llega el pedido, señor?"),
    "danish": ("cp1252", "Døren er gået i stykker, hjælp mig på søndag"),
    "portuguese": ("cp1252", "A porta está quebrada, não funciona há dois dias, obrigado pela atenção"),
    "polish": ("cp1250", "Drzwi są zepsute, proszę o pomoc. Ładny dźwięk, dziękuję bardzo, żółw źle śpi"),
    "czech": ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy. Dobrý den, zařízení nefunguje"),
    "turkish": ("cp1254", "Kapı dünden beri kırık, lütfen yardım edin. Çok teşekkürler, güzel ürün"),
    "hungarian": ("cp1250", "Az ajtó két napja elromlott, őszintén kérem, nagyon jó minőségű, köszönöm a szállítást"),
    "lithuanian": ("cp1257", "Durys sugedo prieš dvi dienas, prašome padėti. Ačiū už greitą pristatymą, žmonės"),
    "german, DOS": ("cp850", "Die Türklingel läutet nicht. Grüße aus München"),
    "german, Mac": ("mac_roman", "Die Türklingel läutet nicht. Grüße aus München"),
    "polish, Linux": ("iso8859_2", "Drzwi są zepsute, proszę o pomoc. Ładny dźwięk, dziękuję bardzo"),
    "german with a French word": ("cp1252", "Die Tür des Café ist zu"),
    "one letter": ("cp1252", "The café is closed today"),
    "one sign": ("cp1252", "It costs 5 €, or so"),
    "russian": ("cp1251", "Дверь сломана уже два дня, помогите. Спасибо большое за быструю доставку"),
    "russian, old": ("koi8_r", "Дверь сломана уже два дня, помогите. Спасибо большое за быструю доставку"),
    "greek": ("cp1253", "Η πόρτα είναι σπασμένη από χθες. Ευχαριστώ πολύ για τη βοήθεια"),
    "hebrew": ("cp1255", "הדלת שבורה מאתמול בבקשה עזרו לי תודה רבה על המשלוח המהיר"),
    "arabic": ("cp1256", "الباب مكسور منذ يومين أرجو المساعدة شكرا جزيلا على التوصيل السريع"),
    "chinese": ("gb18030", "这个门铃坏了两天了，请帮忙处理一下。非常感谢你们的快速发货，质量很好"),
    "chinese, Taiwan": ("cp950", "這個門鈴壞了兩天了，請幫忙處理一下。非常感謝你們的快速發貨，品質很好"),
    "japanese": ("cp932", "ドアベルが二日前から壊れています。助けてください。迅速な配送ありがとう"),
    "korean": ("cp949", "초인종이 이틀 전부터 고장났습니다 도와주세요 빠른 배송 정말 감사합니다"),
    "thai": ("cp874", "กริ่งประตูเสียมาสองวันแล้ว ช่วยด้วย ขอบคุณมากสำหรับการจัดส่ง"),
}


OTHER = {  # short texts in letters that are not Latin
    ("cp1251", "koi8_r", "cp866", "iso8859_5"): (
        "Дверь сломана|Не могу войти в личный кабинет|Счёт неверный, верните деньги|Хочу отменить подписку|"
        "Приложение не запускается после обновления|СРОЧНО ВЕРНИТЕ ДЕНЬГИ ЗА ЗАКАЗ|Интернет пропадает каждый вечер"
    ),
    ("cp1251", "koi8_u"): "Двері зламані|Не можу увійти до особистого кабінету|Дякую за швидку доставку, їжа смачна",
    ("cp1251",): "Вратата е счупена|Фактурата е грешна, върнете ми парите|Моля помогнете",
    ("cp1253", "iso8859_7"): (
        "Η πόρτα είναι σπασμένη|Δεν μπορώ να συνδεθώ στον λογαριασμό μου|Θέλω να ακυρώσω τη συνδρομή μου|"
        "Το διαδίκτυο χάνεται κάθε βράδυ|Άλλαξα τον κωδικό μου"
    ),
    (
        "cp1255",
    ): "הדלת שבורה|אני לא מצליח להתחבר לחשבון מאתמול|החשבונית שגויה, בבקשה החזירו את הכסף|אני רוצה לבטל את המנוי",
    ("cp1256", "iso8859_6"): "الباب مكسور|لا أستطيع تسجيل الدخول منذ أمس|الفاتورة خاطئة أعيدوا المال من فضلكم",
    ("cp874",): "ประตูเสีย|ฉันเข้าสู่ระบบไม่ได้ตั้งแต่เมื่อวาน|ใบแจ้งหนี้ไม่ถูกต้อง กรุณาคืนเงิน",
    ("gb18030",): "门坏了请来修|我从昨天开始无法登录|发票不对，请退款|包裹两个星期了还没有到，请回复我|我想取消订阅",
    ("big5",): "門壞了|我從昨天開始無法登入|發票不對，請退款|包裹兩個星期了還沒有到，請回覆我|我想取消訂閱",
    ("cp932", "euc_jp"): (
        "ドアが壊れています|昨日からログインできません|"
        "請求書が間違っています。返金してください。|パスワードを忘れました"
    ),
    ("cp949",): "문이 고장났어요|어제부터 로그인이 안 됩니다|청구서가 잘못되었습니다 환불해 주세요",
}


def put(folder, content, name="x.csv"):
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.parametrize("language", TEXTS)
def test_the_encoding_is_detected_with_a_message(tmp_path, language):
    encoding, text = TEXTS[language]
    path = put(tmp_path, f"text;label\n{text};1\nplain;2\n".encode(encoding))
    table = read_table(path)
    assert table.columns["text"] == [text, "plain"]
    assert table.dialect.encoding == encoding
    way_out = "If it is wrong, pass --encoding (encoding=)."
    assert table.messages == (f"{path}: encoding {encoding} was detected (few letters: check it). {way_out}",)


@pytest.mark.parametrize(("encoding", "texts"), [(e, texts) for names, texts in OTHER.items() for e in names])
def test_short_texts_in_other_letters(encoding, texts):
    texts = texts.split("|")
    tables = ["text;label\n" + "".join(f"{text};technical\n" for text in texts), "\n".join(texts * 20)]
    for text in (*texts, *tables):
        sample = text.encode(encoding)
        assert sample.decode(detect(sample)) == text


@pytest.mark.parametrize("encoding", ["cp1251", "koi8_r", "iso8859_5"])
def test_capital_letters(encoding):
    texts = ["НЕ РАБОТАЕТ ПРИНТЕР В ОФИСЕ", "ХОЧУ ОТМЕНИТЬ ПОДПИСКУ", "НЕ МОГУ ВОЙТИ В ЛИЧНЫЙ КАБИНЕТ", "ГДЕ МОЙ ЗАКАЗ"]
    for text in (*texts, "\n".join(texts * 3)):
        assert text.encode(encoding).decode(detect(text.encode(encoding))) == text


@pytest.mark.parametrize(
    ("encoding", "text"), [("gb18030", "我从昨天开始无法登录"), ("cp932", "昨日からログインできません")]
)
def test_a_sample_that_ends_within_a_character(encoding, text):
    sample = (text * 30).encode(encoding)
    assert detect(sample[:-1]) == encoding


@pytest.mark.parametrize(
    ("encoding", "texts"),
    [
        ("cp1250", "Nie mogę się zalogować od wczoraj, proszę o pomoc|Proszę o zwrot|Dziękuję bardzo|Zwrot pieniędzy"),
        ("cp1254", "Şifremi unuttum, iki haftadır bekliyorum|Giriş yapamıyorum|Uygulama açılmıyor"),
        (
            "cp1252",
            "Où est mon colis|Está roto|Não funciona|Perché non funziona più|Døren er i stykker|Þetta virkar ekki",
        ),
    ],
)
def test_the_language_decides_between_equal_alphabets(encoding, texts):
    for text in texts.split("|"):
        assert detect(text.encode(encoding)) == encoding


@pytest.mark.parametrize("encoding", ["cp1251", "koi8_r"])
def test_a_written_file_is_read_again(tmp_path, encoding):
    texts = next(iter(OTHER.values())).split("|")
    path = put(tmp_path, ("id,text\n" + "".join(f'{i},"{text}"\n' for i, text in enumerate(texts))).encode(encoding))
    labels = {"label": ["billing", "technical"] * 3 + ["billing"], "confidence": [0.9173] * 7}
    assert write_table(read_table(path), labels, tmp_path / "out.csv") == []
    again = read_table(tmp_path / "out.csv")
    assert again.dialect.encoding == encoding
    assert again.columns["text"] == texts


@pytest.mark.parametrize(("n_letters", "check"), [(99, " (few letters: check it)"), (100, "")])
def test_few_letters_are_stated(tmp_path, n_letters, check):
    path = put(tmp_path, b"text;label\n" + "Die Tür läutet;1\n".encode("cp1252") * (n_letters // 2))
    if n_letters % 2:
        path.write_bytes(path.read_bytes() + "Grün;2\n".encode("cp1252"))
    way_out = "If it is wrong, pass --encoding (encoding=)."
    assert read_table(path).messages == (f"{path}: encoding cp1252 was detected{check}. {way_out}",)


def test_each_line_may_have_its_own_language(tmp_path):
    texts = [TEXTS[language][1] for language in ("german", "french", "spanish", "danish", "portuguese")]
    table = read_table(put(tmp_path, ("text;label\n" + "".join(f"{text};x\n" for text in texts)).encode("cp1252")))
    assert table.columns["text"] == texts


def test_files_with_different_encodings_are_read_with_one_option(tmp_path):
    text = "text,label\nTürklingel,a\n"
    windows, unicode = put(tmp_path, text.encode("cp1252"), "a.csv"), put(tmp_path, text.encode(), "b.csv")
    for path in (windows, unicode):
        table = read_table(path, encoding="cp1252")
        assert table.columns["text"] == ["Türklingel"]
        assert table.messages == ()
    assert read_table(windows, encoding="cp1252").dialect.encoding == "cp1252"
    assert read_table(unicode, encoding="cp1252").dialect.encoding == "utf-8"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16", "utf-32", "utf-8-sig"])
def test_unicode_with_and_without_a_byte_order_mark(tmp_path, encoding):
    text = "text,label\nTürklingel läutet,a\n"
    for named in (None, "cp1252"):
        table = read_table(put(tmp_path, text.encode(encoding)), encoding=named)
        assert table.columns == {"text": ["Türklingel läutet"], "label": ["a"]}
        assert table.dialect.byte_order_mark is (encoding in ("utf-16", "utf-32", "utf-8-sig"))


def test_codecs_of_seven_bits_are_used_if_named(tmp_path):
    path = put(tmp_path, "text,label\n壊れています,a\n".encode("iso2022_jp"))
    assert read_table(path, encoding="iso2022_jp").columns["text"] == ["壊れています"]


def test_damaged_utf8_is_not_read_in_another_encoding(tmp_path):
    path = put(tmp_path, "text,label\nTür,a\nGruß,b\n".encode() + b"caf\xe9,c\n")
    for encoding in (None, "cp1252"):
        with pytest.raises(ValueError, match="line 4: byte 0xe9 at character 4 is not UTF-8, as most of the file is"):
            read_table(path, encoding=encoding)
        table = read_table(path, encoding=encoding, skip_bad=True)
        assert table.columns["text"] == ["Tür", "Gruß"]
        assert [row.line for row in table.bad] == [4]


def test_a_late_byte_decides_and_the_sample_has_the_lines_that_matter(tmp_path):
    path = put(tmp_path, b"text,label\n" + b"plain,a\n" * 200_000 + "Die Türklingel läutet,b\n".encode("cp1252"))
    assert read_table(path).columns["text"][-1] == "Die Türklingel läutet"


def test_a_wrong_or_unknown_encoding_is_one_line(tmp_path):
    path = put(tmp_path, b"text,label\ncaf\xe9,a\n")
    with pytest.raises(ValueError, match="line 2 is not ASCII: byte 0xe9 at character 4"):
        read_table(path, encoding="ascii")
    for name in ("klingon", "hex", "zlib"):  # the last two are no text encodings
        with pytest.raises(ValueError, match=f"encoding='{name}' is unknown"):
            read_table(path, encoding=name)
    check_codec("latin-1")


@pytest.mark.parametrize(
    "text",
    [
        "Great product – I use it every day",
        "He said ‘never again’",
        "It costs £20",
        "1½ inches too short",
        "© Acme Ltd",
    ],
)
def test_one_sign_in_an_english_text_is_not_a_letter_of_dos(text):
    for sample in (text, f"{text},1\n"):
        assert detect(sample.encode("cp1252")) == "cp1252"


@pytest.mark.parametrize(
    ("encoding", "texts"),
    [
        ("cp1252", "DIE TÜR IST KAPUTT UND SCHLIESST NICHT MEHR, BITTE PRÜFEN|LA PORTE EST CASSÉE, RÉPAREZ-LA À TEMPS"),
        ("cp1250", "NIE MOGĘ SIĘ ZALOGOWAĆ, PROSZĘ O POMOC|ZAŘÍZENÍ NEFUNGUJE, PROSÍM VRAŤTE PENÍZE"),
        ("cp1253", "ΔΕΝ ΜΠΟΡΩ ΝΑ ΣΥΝΔΕΘΩ ΣΤΟΝ ΛΟΓΑΡΙΑΣΜΟ ΜΟΥ"),
    ],
)
def test_capital_letters_of_other_alphabets(encoding, texts):
    for text in texts.split("|"):
        assert text.encode(encoding).decode(detect(text.encode(encoding))) == text


@pytest.mark.parametrize(
    "text",
    [
        "BMW für München gesucht",  # pictures begin with BM
        "Die Tür\0 läutet\1 nicht\2",
        '<meta charset="iso-8859-2"> Die Tür läutet nicht',
        "# -*- coding: koi8-r -*- Die Tür läutet nicht",
        "plain words " * 10_000 + "Die Tür läutet nicht",
    ],
    ids=lambda text: text[:12],
)
def test_what_is_no_text_for_chardet(text):
    assert detect(text.encode("cp1252")) == "cp1252"


def test_bytes_that_are_no_text_have_no_encoding():
    rng = random.Random(0)
    assert detect(rng.randbytes(1000)) is None
    assert detect(bytes(range(128, 256)) * 3 + b"\x81\x8d\x8f\x90\x9d") is None


@pytest.mark.parametrize(("encoding", "at"), [("gb18030", 31), ("euc_jp", 41)])
def test_a_damaged_file_is_not_read_in_letters_that_it_does_not_have(encoding, at):
    """A byte is missing, so all later characters of the line would be others."""
    texts = next(texts for names, texts in OTHER.items() if encoding in names)
    sample = texts.replace("|", "\n").encode(encoding)
    assert detect(sample[:at] + sample[at + 1 :]) is None


def test_utf_16_without_a_mark_is_not_found_in_other_bytes():
    assert without_mark(b"") is None
    assert without_mark(b"text,label\n") is None
    assert without_mark(b"\0" * 100) is None


# Output in the dialect of the input


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_output_has_the_dialect_of_the_input(tmp_path, encoding, newline, delimiter):
    content = newline.join(
        ["text;label", "Die Türklingel läutet nicht;ja", 'Grüße, "Zitat";x'.replace('"', ""), ""]
    ).replace(";", delimiter)
    if delimiter == ",":
        content = content.replace("Grüße, Zitat", '"Grüße, Zitat"')
    path = put(tmp_path, content.encode(encoding))
    write_table(read_table(path), {}, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == path.read_bytes()
    write_table(read_table(path), {}, tmp_path / "out.csv.gz")
    assert gzip.decompress((tmp_path / "out.csv.gz").read_bytes()) == path.read_bytes()


def test_another_format_has_its_own_dialect(tmp_path):
    table = read_table(put(tmp_path, "text;label\r\nTür;ä\r\n".encode("cp1252")))
    write_table(table, {}, tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_bytes() == "text\tlabel\nTür\tä\n".encode()
    write_table(table, {}, tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == '{"text": "Tür", "label": "ä"}\n'.encode()
    write_table(replace(table, dialect=Dialect("CSV", ",")), {}, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == "text,label\nTür,ä\n".encode()


def test_json_is_always_utf8(tmp_path):
    table = read_table(put(tmp_path, '{"text": "Türklingel läutet"}\r\n'.encode("cp1252"), "x.jsonl"))
    assert table.columns == {"text": ["Türklingel läutet"]}
    write_table(table, {}, tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == '{"text": "Türklingel läutet"}\r\n'.encode()


def test_an_output_is_not_mistaken_for_utf8(tmp_path):
    """The row that shows the encoding is bad and left out; the bytes of the other are also those of "cät"."""
    table = read_table(
        put(tmp_path, b"text,label\na\xe0\x8d\x9a" + b"\xba" * 90 + b",b,c\nc\xc3\xa4t,x\n"),
        encoding="cp866",
        skip_bad=True,
    )
    assert table.columns["text"][0] != "cät"
    messages = write_table(table, {}, tmp_path / "out.csv")
    assert "has bytes that are read as UTF-8" in messages[0]
    assert read_table(tmp_path / "out.csv").columns == table.columns


@pytest.mark.parametrize("where", ["name", "cell", "list"])
def test_no_character_is_lost(tmp_path, where):
    table = read_table(put(tmp_path, "text;label\nDie Türklingel läutet;ä\n".encode("cp1252")))
    extra = {"😀": ["x"]} if where == "name" else {"new": ["a 😀"] if where == "cell" else [["😀"]]}
    messages = write_table(table, extra, tmp_path / "out.csv")
    assert messages == [f"{tmp_path / 'out.csv'} is UTF-8 with a byte order mark, because cp1252 has no '😀'"]
    content = (tmp_path / "out.csv").read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    assert b";" in content
    assert read_table(tmp_path / "out.csv").columns["text"] == ["Die Türklingel läutet"]
    assert "😀" in content.decode()


def test_one_column_has_no_delimiter(tmp_path):
    table = read_table(put(tmp_path, b"text\na, b\nc\n"))
    assert table.dialect.delimiter is None
    write_table(table, {"label": [1, 2]}, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == 'text,label\n"a, b",1\nc,2\n'


def test_half_a_character_is_an_error_before_the_work():
    table = Table("x", {"text": ["a", "\ud800"]}, range(2))
    with pytest.raises(ValueError, match=r"half a character \(a surrogate\). Write .jsonl."):
        check_output(table, "x.csv")
    check_output(table, "x.jsonl")
    check_output(from_texts(["é"]), "-")
