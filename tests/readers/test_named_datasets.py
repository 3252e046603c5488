"""Named datasets: the catalogue, how classes become rankings, and the published counts of the real files."""

import csv
import gzip
import hashlib
import io
import json
import tarfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse
from sklearn.datasets import load_digits

from semirank.dataset import RankingDataset
from semirank.features import TfIdf
from semirank.readers.datasets import Counts, Entry, Items, available, fetch, load, load_items
from semirank.readers.datasets.archives import read_archive
from semirank.readers.datasets.digits import read_mnist, read_optdigits
from semirank.readers.datasets.items import join, strings
from semirank.readers.datasets.letor_sets import read_lambdarank
from semirank.readers.datasets.newsgroups import read_newsgroups
from semirank.readers.datasets.ohsumed_text import read_ohsumed
from semirank.readers.datasets.reuters import read_reuters
from semirank.readers.datasets.suite import load_columns, one_hot, read_everyday
from semirank.readers.fetch import RemoteFile, locate

SETS = available()
DOCS = Path(__file__).parents[2] / "docs" / "datasets.md"


# Classes become rankings


@pytest.fixture
def pets() -> Items:
    return Items(
        item_ids=strings(["a", "b", "c", "d"]),
        X=np.arange(8.0).reshape(4, 2),
        classes=(("cat",), ("dog", "cat"), (), ("dog",)),
        texts=strings(["purr", "both", "none", "bark"]),
    )


@pytest.mark.parametrize(
    ("relevant", "expected"),
    [("cat", [1, 1, 0, 0]), ("dog", [0, 1, 0, 1]), (("dog", "cat"), [1, 1, 0, 1]), (["cat"], [1, 1, 0, 0])],
)
def test_relevant_classes_make_one_list(pets: Items, relevant: Any, expected: list[int]) -> None:
    data = pets.ranking(relevant)
    assert data.n_lists == 1
    assert data.y.tolist() == expected
    assert data.item_ids is not None
    assert data.item_ids.tolist() == ["a", "b", "c", "d"]


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_each_class_makes_a_list_over_the_same_items(pets: Items, kind: Any) -> None:
    data = replace(pets, X=kind(pets.X)).ranking("each")
    X = data.X.toarray() if issparse(data.X) else data.X
    assert data.list_ids.tolist() == ["cat", "dog"]
    assert data.y.tolist() == [1, 1, 0, 0, 0, 1, 0, 1]
    assert X.tolist() == np.vstack([pets.X, pets.X]).tolist()
    assert data.texts is not None
    assert data.texts.tolist() == ["purr", "both", "none", "bark"] * 2


def test_an_unknown_class_and_no_class_are_refused(pets: Items) -> None:
    with pytest.raises(ValueError, match=r"no class 'cow'\. Classes: cat, dog"):
        pets.ranking("cow")
    with pytest.raises(ValueError, match="Say which class is relevant: one of cat, dog"):
        pets.ranking(())


def test_items_join_and_split_again(pets: Items) -> None:
    both = join([pets.of_part("old"), replace(pets, X=-pets.X).of_part("new")])
    assert both.part is not None
    again = both.take(np.flatnonzero(both.part == "new"))
    assert np.array_equal(again.X, -pets.X)
    assert again.classes == pets.classes


def test_numbered_items_of_different_parts_have_different_names() -> None:
    numbered = Items(item_ids=np.arange(2), X=np.zeros((2, 1)), y=np.ones(2))
    both = join([numbered.of_part("train"), numbered.of_part("test")])
    assert both.item_ids.tolist() == ["train-0", "train-1", "test-0", "test-1"]
    assert both.ranking(None).list_ids.tolist() == ["train", "test"]


# The built-in sets


def test_digits_are_those_of_scikit_learn() -> None:
    X, digit = load_digits(return_X_y=True)
    data = load("digits")
    assert data.n_lists == 10
    for number in range(10):
        rows = slice(*data.indptr[number : number + 2])
        assert np.array_equal(data.X[rows], X)
        assert np.array_equal(data.y[rows], digit == number)
    assert np.array_equal(load("digits", relevant=3).y, digit == 3)
    assert np.array_equal(load("digits", relevant=range(5)).y, digit < 5)
    assert part_counts(load_items("digits")) == {"all": 1797}


def test_moons_obey_their_options() -> None:
    assert load("moons").n_items == 400
    data = load("moons", size=50, noise=0.0, random_state=3, relevant="lower")
    assert (data.n_items, data.y.sum()) == (50, 25)
    assert np.allclose(np.linalg.norm(data.X - np.where(data.y[:, None], [1, 0.5], [0, 0]), axis=1), 1)


# Choosing


def test_a_misspelt_name_gets_a_hint() -> None:
    with pytest.raises(ValueError, match=r"no dataset 'digitz'. Did you mean 'digits'\? Known: digits, "):
        load("digitz")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"name": "mq2008", "relevant": "2"}, "comes as lists with labels"),
        ({"name": "digits", "part": "train"}, "digits has no part 'train'. Parts: all"),
        ({"name": "digits", "part": ()}, "No part of digits"),
        ({"name": "digits", "fold": 1}, "does not come in folds"),
        ({"name": "mq2008", "fold": 6, "part": "test"}, "from 1 to 5; got 6"),
        ({"name": "mq2008", "fold": 1}, "one of train, validation, test; got None"),
        ({"name": "mq2008", "variant": "null"}, "no dataset 'mq2008-null'"),
        ({"name": "digits", "size": 3}, "no option 'size'. Options: none"),
        ({"name": "moons", "sise": 3}, "no option 'sise'. Options: size, noise, random_state"),
        ({"name": "reuters21578", "text_features": False}, "needs features"),
    ],
)
def test_what_cannot_be_chosen_is_explained(call: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load(**call)


def test_folds_rotate_and_every_part_is_tested_once() -> None:
    entry = SETS["mq2008"]
    assert entry.choose_parts("train", 1) == ("S1", "S2", "S3")
    assert entry.choose_parts("validation", 1) == ("S4",)
    assert [entry.choose_parts("test", fold) for fold in range(1, 6)] == [
        ("S5",), ("S1",), ("S2",), ("S3",), ("S4",)
    ]  # fmt: skip
    for fold in range(1, 6):
        roles = [entry.choose_parts(role, fold) for role in ("train", "validation", "test")]
        assert sorted(sum(roles, ())) == ["S1", "S2", "S3", "S4", "S5"]


# Files, checks and trust


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give an empty data folder, with an empty cache beside it and no network."""
    monkeypatch.setenv("SEMIRANK_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("SEMIRANK_CACHE", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


def offer(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    """Let every download bring this content."""

    def download(url: str, target: Path, **_: Any) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    monkeypatch.setattr("semirank.readers.fetch.download", download)


def make_entry(**changes: Any) -> Entry:
    files = (RemoteFile("set/x.csv", "http://localhost/x.csv", part="all"),)
    return replace(SETS["optdigits"], parts={"all": Counts(2)}, files=files, n_classes=2, **changes)


ROW = ",".join(["0"] * 64)


def test_a_set_that_must_be_fetched_by_hand_says_how(folder: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        load("ohsumed-letor", part=["S1", "S2"])
    message = str(caught.value)
    assert "LETOR 3.0" in message
    assert "https://www.microsoft.com/" in message
    assert "ohsumed-letor/QueryLevelNorm/S1.txt, ohsumed-letor/QueryLevelNorm/S2.txt below" in message
    assert "S3.txt below" not in message
    assert "cache" in message


def test_only_the_files_of_the_chosen_part_are_needed(folder: Path) -> None:
    (folder / "optdigits").mkdir()
    lines = [f"{ROW},{i % 10}" for i in range(1797)]
    with gzip.open(folder / "optdigits" / "optdigits.tes.gz", "wt") as file:
        file.write("\n".join(lines))
    data = load("optdigits", part="test", relevant="1")
    assert (data.n_items, data.y.sum()) == (1797, 180)
    assert fetch("optdigits", part="test") == [folder / "optdigits" / "optdigits.tes.gz"]


def test_content_is_trusted_only_after_it_was_checked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = folder.parent / "cache" / "checksums.json"
    entry = make_entry()
    offer(monkeypatch, f"{ROW},1\n".encode())
    with pytest.raises(ValueError, match=r"expected 2 items in part all, as published, and found 1.*x\.csv"):
        entry.items(("all",))
    assert not record.exists()
    (folder.parent / "cache" / "set" / "x.csv").unlink()
    offer(monkeypatch, f"{ROW},1\n{ROW},2\n".encode())
    assert len(entry.items(("all",))) == 2
    assert "set/x.csv" in record.read_text()


def test_a_part_that_was_not_read_is_not_trusted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = RemoteFile("set/more.csv", "http://localhost/more.csv", part="more")
    entry = make_entry()
    entry = replace(entry, files=(*entry.files, more), parts={"all": Counts(2), "more": Counts(2)})
    offer(monkeypatch, f"{ROW},1\n{ROW},2\n".encode())
    locate(more)
    entry.items(("all",))
    assert list(json.loads((folder.parent / "cache" / "checksums.json").read_bytes())) == ["set/x.csv"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parts": {"all": Counts(3)}}, "expected 3 items in part all"),
        ({"n_features": 63}, "expected 63 features, as published, and found 64"),
        ({"n_classes": 3}, "expected 3 classes"),
    ],
)
def test_counts_that_differ_are_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], message: str
) -> None:
    offer(monkeypatch, f"{ROW},1\n{ROW},2\n".encode())
    with pytest.raises(ValueError, match=message):
        replace(make_entry(), **changes).items(("all",))


def archive(path: Path, members: dict[str, bytes], kind: bytes = tarfile.REGTYPE) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size, info.type, info.linkname = len(content), kind, "/etc/passwd"
            tar.addfile(info, io.BytesIO(content))
    return path


def test_archives_are_read_in_memory_whatever_the_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    path = archive(tmp_path / "x.tar", {"../up.txt": b"1", "/abs.txt": b"2", "no.bin": b"3"})
    assert [content for _, content in read_archive(path, ".txt")] == [b"1", b"2"]
    assert list((tmp_path / "here").iterdir()) == []
    assert sorted(file.name for file in tmp_path.iterdir()) == ["here", "x.tar"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE])
def test_links_and_devices_in_archives_are_passed_over(tmp_path: Path, kind: bytes) -> None:
    assert list(read_archive(archive(tmp_path / "x.tar", {"a": b""}, kind))) == []


@pytest.mark.parametrize("limits", [{"max_member": 9}, {"max_total": 19}])
def test_archives_beyond_their_size_are_refused(tmp_path: Path, limits: dict[str, int]) -> None:
    path = archive(tmp_path / "x.tar", {"a": b"x" * 10, "b": b"x" * 10})
    with pytest.raises(ValueError, match="larger than it should be"):
        list(read_archive(path, **limits))


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.tar", {"a": b"x" * 5000})
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ValueError, match=r"x\.tar.*damaged"):
        list(read_archive(path))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\0\0\x08\x01\0\0\0\x05abc", "has 3 values where its header says 5"),
        (b"\0\0\x0d\x01\0\0\0\x01a", "no IDX"),
        (b"", "no IDX"),
    ],
)
def test_a_damaged_idx_file_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "images"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"images: {message}|images: is {message}"):
        read_mnist(path, path)


def test_stories_are_read_with_their_topics_in_order(tmp_path: Path) -> None:
    story = (
        '<REUTERS TOPICS="{}" LEWISSPLIT="{}" CGISPLIT="X" OLDID="1" NEWID="{}">\n<DATE>1</DATE>\n'
        "<TOPICS>{}</TOPICS>\n<PLACES><D>usa</D></PLACES>\n<TEXT{}>&#2;\n{}\n&#3;</TEXT>\n</REUTERS>\n"
    )
    sgml = "".join(
        [
            story.format("YES", "TRAIN", 7, "<D>wheat</D><D>grain</D>", "",
                         "<TITLE>A &lt;B> &amp; C</TITLE>\n<DATELINE>X</DATELINE><BODY>One\ntwo</BODY>"),
            story.format("NO", "TRAIN", 8, "", ' TYPE="UNPROC"', "Raw \xe9 text"),
            story.format("YES", "TEST", 9, "<D>earn</D>", ' TYPE="BRIEF"', "***<TITLE>T</TITLE>Blah."),
        ]
    )  # fmt: skip
    items = read_reuters(archive(tmp_path / "r.tar", {"reut2-000.sgm": sgml.encode("latin-1"), "x": b""}))
    assert items.item_ids.tolist() == ["7", "8", "9"]
    assert items.classes == (("wheat", "grain"), (), ("earn",))
    assert items.part is not None
    assert items.part.tolist() == ["train", "unused", "test"]
    assert items.texts is not None
    assert items.texts.tolist() == ["A <B> & C\nOne\ntwo", "Raw \xe9 text", "T"]


def test_articles_lose_their_headers_and_keep_their_group(tmp_path: Path) -> None:
    article = b"From: a\nSubject: b\nLines: 3\n\nDear all,\n\nFrom: is no header here.\n"
    path = archive(
        tmp_path / "news.tar", {"20news-bydate-train/rec.a/1": article, "20news-bydate-test/sci.b/2": b"X: y"}
    )
    items = read_newsgroups(path)
    assert items.texts is not None
    assert items.texts.tolist() == ["Dear all,\n\nFrom: is no header here.\n", ""]
    assert items.classes == (("rec.a",), ("sci.b",))
    assert np.asarray(items.part).tolist() == ["train", "test"]
    assert read_newsgroups(path, hierarchy="rec.").item_ids.tolist() == ["rec.a/1"]


def test_abstracts_with_several_classes_are_one_item(tmp_path: Path) -> None:
    members = {"o/training/C02/7": b"seven", "o/test/C01/8": b"eight", "o/training/C01/7": b"seven"}
    items = read_ohsumed(archive(tmp_path / "o.tar", members))
    assert items.item_ids.tolist() == ["8", "7"]
    assert items.classes == (("C01",), ("C01", "C02"))
    assert np.asarray(items.part).tolist() == ["test", "train"]


def test_everyday_tables_keep_their_numbers_and_open_their_categories(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        'size,town,name,label\n1e6,"Bonn, old",a,1\n,Jena,b,0\n-2,"Bonn, old",c,1\n3,,d,0\n'
    )
    items = read_everyday(tmp_path / "t.csv")
    assert items.feature_names == ("size", "town=Bonn, old")  # Jena and the names occur once
    assert items.X is not None
    assert np.array_equal(items.X, [[1e6, 1], [np.nan, 0], [-2, 1], [3, 0]], equal_nan=True)
    assert np.array_equal(items.y, [1, 0, 1, 0])


def test_everyday_texts_stay_texts(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('text,label\n"who, me?",1\n,0\n')
    items = read_everyday(tmp_path / "t.csv")
    assert items.X is None
    assert np.asarray(items.texts).tolist() == ["who, me?", ""]


def test_a_category_keeps_its_most_frequent_levels() -> None:
    values = [str(level) + "x" for level in range(30) for _ in range(2 + level)]
    _, names = one_hot({"c": np.array(values, dtype=object)})
    assert sorted(names) == sorted(f"c={level}x" for level in range(10, 30))


def test_parts_with_different_columns_are_loaded_one_at_a_time() -> None:
    wide, narrow = (Items(item_ids=np.arange(2), X=np.zeros((2, width)), y=np.ones(2)) for width in (3, 2))
    with pytest.raises(ValueError, match="different columns: load one part at a time"):
        join([wide.of_part("a"), narrow.of_part("b")])


def test_the_suite_says_that_it_has_no_address(folder: Path) -> None:
    with pytest.raises(
        FileNotFoundError, match=r"no address is known.*suite/heart\.csv below.*SEMIRANK_DATA"
    ):
        load("suite", part="heart")


def test_lists_that_do_not_fit_their_rows_are_refused(tmp_path: Path) -> None:
    (tmp_path / "rank.train").write_text("1 1:0.5\n0 300:1\n")
    (tmp_path / "rank.train.query").write_text("1\n2\n")
    with pytest.raises(ValueError, match=r"the lists have 3 items, but .*rank\.train has 2 rows"):
        read_lambdarank(tmp_path / "rank.train", tmp_path / "rank.train.query")


# The catalogue


@pytest.mark.parametrize("name", SETS)
def test_declarations_are_complete(name: str) -> None:
    entry = SETS[name]
    assert all([entry.summary, entry.labels, entry.address.startswith("http"), entry.terms, entry.parts])
    assert "\n" not in entry.summary
    assert (entry.relevant is None) == (entry.n_classes is None) == (entry.n_lists is not None)
    for file in entry.files:
        assert file.part is None or file.part in entry.parts
        assert file.url is not None or entry.by_hand
        assert file.sha256 is None or (len(file.sha256) == 64 and int(file.sha256, 16))
    assert set(entry.row()) == set(SETS["digits"].row())


def table() -> str:
    """Write the catalogue as a table in Markdown."""
    lines = ["| name | holds | items | lists | labels | `relevant` by default | terms |", "|" + "---|" * 7]
    for entry in SETS.values():
        parts = ", ".join(f"{name} {counts.items}" for name, counts in entry.parts.items())
        lists = "1 a class" if entry.n_lists is None else str(entry.n_lists)
        relevant = "" if entry.relevant is None else f"`{entry.relevant!r}`"
        items = f"{entry.n_items}" + (f" ({parts})" if len(entry.parts) > 1 else "")
        name = f"[`{entry.name}`]({entry.address})"
        cells = [name, entry.summary, items, lists, entry.labels, relevant, entry.terms]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def test_the_page_about_datasets_is_up_to_date() -> None:
    assert table() in DOCS.read_text(), f"Put this table into {DOCS.name}:\n{table()}"


# The real files, as published


def class_counts(items: Items) -> dict[str, int]:
    return {name: int(items.is_a(name).sum()) for name in items.class_names}


def part_counts(items: Items) -> dict[str, int]:
    return dict(Counter(np.asarray(items.part).tolist()))


@pytest.mark.parametrize(("part", "n_features"), [("titanic", 50), ("heart", 13), ("stock", 9)])
def test_the_suite_as_it_lies_here(real_data: Path, part: str, n_features: int) -> None:
    if not (real_data / "suite").is_dir():
        pytest.skip("The suite is not here")
    assert load("suite", part=part).n_features == n_features
    columns = load_columns(part)
    assert np.array_equal(columns["label"], load("suite", part=part).y)
    assert all(cells.dtype.kind in "fO" for cells in columns.values())


def test_optdigits_as_published(real_data: Path) -> None:
    assert list(class_counts(load_items("optdigits", part="train")).values()) == [
        376, 389, 380, 389, 387, 376, 377, 387, 380, 382
    ]  # fmt: skip
    test = load_items("optdigits", part="test")
    assert np.array_equal(test.X, load_digits().data)
    assert load("optdigits").n_items == 10 * (3823 + 1797)


@pytest.mark.parametrize("name", ["optdigits", "mnist"])
def test_pinned_hashes_are_those_of_the_real_files(real_data: Path, name: str) -> None:
    for file in SETS[name].files:
        if (real_data / file.path).is_file():
            assert hashlib.sha256((real_data / file.path).read_bytes()).hexdigest() == file.sha256


def test_usps_as_in_the_manifold_paper(real_data: Path) -> None:
    items = load_items("usps")
    assert part_counts(items) == {"train": 7291, "test": 2007}
    counts = class_counts(items)
    assert [counts[digit] for digit in "123456"] == [1269, 929, 824, 852, 716, 834]
    assert (items.X.min(), items.X.max()) == (-1, 1)


def test_mnist_as_published(real_data: Path) -> None:
    items = load_items("mnist")
    assert items.X.shape == (10000, 784)
    assert list(class_counts(items).values()) == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]


def test_reuters_as_published(real_data: Path) -> None:
    items = load_items("reuters21578", text_features=False)
    assert part_counts(items) == {"train": 9603, "test": 3299, "unused": 8676}
    assert sorted(map(int, items.item_ids)) == list(range(1, 21579))
    assert items.texts is not None
    assert items.item_ids[items.texts == ""].tolist() == ["12793"]
    train = items.take(np.flatnonzero(items.part == "train"))
    test = items.take(np.flatnonzero(items.part == "test"))
    top = ["earn", "acq", "money-fx", "grain", "crude", "interest", "ship", "wheat"]
    assert [class_counts(train)[name] for name in top] == [2877, 1650, 538, 433, 389, 347, 197, 212]
    assert [class_counts(test)[name] for name in top] == [1087, 719, 179, 149, 189, 131, 89, 71]


def test_first_topics_of_reuters_as_in_the_boosting_paper(real_data: Path) -> None:
    items = load_items("reuters21578", text_features=False)
    assert items.classes is not None
    first = Counter(names[0] for names in items.classes if names)
    expected = {
        "earn": 3972, "acq": 2423, "money-fx": 682, "crude": 543, "grain": 537, "trade": 473,
        "interest": 339, "ship": 209, "money-supply": 177, "sugar": 154,
    }  # fmt: skip
    assert dict(first.most_common(10)) == expected
    assert sum(expected.values()) == 9509


def test_texts_become_features_of_the_chosen_part_alone(real_data: Path) -> None:
    data = load("reuters21578", part="test", relevant="earn", text_features=TfIdf(min_df=3))
    assert (data.n_items, data.y.sum()) == (3299, 1087)
    assert data.texts is not None
    assert data.feature_names == tuple(TfIdf(min_df=3).fit(data.texts).vocabulary_)


def test_a_fitted_transformer_is_used_as_it_is(pets: Items) -> None:
    fitted = TfIdf(min_df=1).fit(["bark bark", "meow"])
    assert pets.with_text_features(fitted).X.toarray().tolist() == [[0, 0], [0, 0], [0, 0], [1, 0]]


def test_newsgroups_as_published(real_data: Path) -> None:
    items = load_items("newsgroups", text_features=False)
    assert part_counts(items) == {"train": 11314, "test": 7532}
    assert len(set(items.item_ids)) == 18846
    recreation = load("newsgroups-rec")
    assert recreation.list_ids.tolist() == [
        "rec.autos", "rec.motorcycles", "rec.sport.baseball", "rec.sport.hockey"
    ]  # fmt: skip
    assert recreation.n_items == 4 * 3979
    assert np.add.reduceat(recreation.y, recreation.indptr[:-1]).tolist() == [990, 996, 994, 999]


def test_ohsumed_abstracts_as_published(real_data: Path) -> None:
    items = load_items("ohsumed-text", text_features=False)
    assert part_counts(items) == {"train": 6286, "test": 7643}
    assert class_counts(items)["C14"] == 2550
    assert sum(class_counts(items).values()) == 23166


LETOR = {
    "ohsumed-letor": (16140, 106, 45, (11303, 2585, 2252)),
    "mq2008": (15211, 784, 46, (12279, 2001, 931)),
}


@pytest.mark.parametrize("name", LETOR)
def test_letor_as_published(real_data: Path, name: str) -> None:
    data = load(name)
    levels = tuple(int((data.y == level).sum()) for level in range(3))
    assert (data.n_items, data.n_lists, data.n_features, levels) == LETOR[name]


def test_letor_folds_and_lists_are_disjoint(real_data: Path) -> None:
    roles = [load("mq2008", fold=2, part=role) for role in ("train", "validation", "test")]
    assert [data.n_lists for data in roles] == [471, 156, 157]
    assert len(set().union(*(data.list_ids for data in roles))) == 784
    assert np.array_equal(roles[2].list_ids, load("mq2008", part="S1").list_ids)


def test_letor_keeps_names_of_items_and_missing_features(real_data: Path) -> None:
    data = load("ohsumed-letor", variant="null", part="S1")
    assert data.item_ids is not None
    assert str(data.item_ids[0]) == "244338"
    assert np.isnan(data.X).any()
    scaled = load("ohsumed-letor", part="S1")
    assert np.array_equal(data.item_ids, scaled.item_ids)
    assert np.array_equal(data.y, scaled.y)


def test_lambdarank_example_as_published(real_data: Path) -> None:
    data = load("lightgbm-lambdarank", part="train")
    assert (data.n_items, data.n_lists) == (3005, 201)
    assert np.diff(data.indptr)[:3].tolist() == [1, 13, 5]
    assert set(data.y) == {0, 1, 2, 3, 4}
    assert load("lightgbm-lambdarank").n_lists == 251


def test_reviews_as_published(real_data: Path) -> None:
    data = load("systematic-reviews")
    with (real_data / "systematic-reviews" / "index.csv").open(newline="") as file:
        published = {row["dataset_id"].replace("_2006", ""): row for row in csv.DictReader(file)}
    assert data.n_lists == 8
    for number, name in enumerate(data.list_ids):
        labels = data.y[slice(*data.indptr[number : number + 2])]
        assert len(labels) == int(published[name]["n_papers"])
        assert labels.sum() == int(published[name]["n_included"])
    alone = load("systematic-reviews", part="Cohen_ADHD")
    assert isinstance(alone, RankingDataset)
    assert (alone.n_items, alone.y.sum()) == (851, 20)


def test_graded_quality_as_published(real_data: Path) -> None:
    data = load("wmt12-qe")
    assert np.diff(data.indptr).tolist() == [1832, 422]
    assert (data.y.min(), data.y.max()) == (1, 5)
    assert data.texts is not None
    assert all(data.texts)
    casp = load("casp")
    assert (casp.n_items, casp.n_lists, casp.feature_names) == (
        45730,
        1,
        tuple(f"F{i}" for i in range(1, 10)),
    )
    assert (casp.y.min(), casp.y.max()) == (-20.999, 0)


def test_optdigits_rows_are_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "one.tra"
    path.write_text(f"{ROW},7\n")
    items = read_optdigits(path)
    assert (items.X.shape, items.classes) == ((1, 64), (("7",),))
