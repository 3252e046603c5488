"""``semirank serve``: the app in the browser."""

from pathlib import Path
from typing import Annotated

import typer


def serve(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA",
            help="What to read: CSV, TSV, XLSX, Parquet, RIS, BibTeX, .asreview, .npy, .npz, "
            ".safetensors, LETOR, a TREC run, a folder or zip of images, or a project (.semirank). None: the "
            "start page.",
        ),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(help="The project file to open or make. None: NAME.semirank beside the data."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Column of a table with titles.")] = None,
    text: Annotated[
        list[str] | None, typer.Option(help="Column of a table with text; repeat for several.")
    ] = None,
    label: Annotated[str | None, typer.Option(help="Column of a table that holds the labels.")] = None,
    qid: Annotated[str | None, typer.Option(help="Column of a table that names the list.")] = None,
    item: Annotated[str | None, typer.Option(help="Column of a table that names the item.")] = None,
    images: Annotated[
        Path | None,
        typer.Option(help="Folder of images; with a table, its column `image` names files in it."),
    ] = None,
    vectors: Annotated[
        Path | None, typer.Option(help="Vectors (.npy) of the items, in the order of the data.")
    ] = None,
    qrels: Annotated[Path | None, typer.Option(help="Judgements (.qrels) that go with a run.")] = None,
    documents: Annotated[
        Path | None, typer.Option(help="Table with ids and texts of the documents of a run or of qrels.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Where projects made in the browser are kept. None: ~/semirank.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any that is free.")] = 0,
    host: Annotated[
        str,
        typer.Option(help="Address to listen at. Any but this machine's own needs --users and --certfile."),
    ] = "127.0.0.1",
    users: Annotated[
        bool, typer.Option("--users", help="Several reviewers: the owner invites them by links.")
    ] = False,
    certfile: Annotated[Path | None, typer.Option(help="Certificate for HTTPS (PEM).")] = None,
    keyfile: Annotated[Path | None, typer.Option(help="Its key, if it is in a file of its own.")] = None,
    behind_proxy: Annotated[
        str | None, typer.Option(help="Name of the HTTPS server that passes requests on to this one.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
) -> None:
    """Read, press one key for each verdict, and see a better order at once: the app in the browser.

    Everything stays on this machine. Verdicts are on disk before they are acknowledged. Needs
    ``pip install "semirank[web]"``.
    """
    try:
        from semirank.web import server
    except ModuleNotFoundError as error:
        if error.name not in ("fastapi", "uvicorn", "starlette", "pydantic"):
            raise
        raise ValueError("`semirank serve` needs a few more packages: pip install 'semirank[web]'") from None
    if data is not None and data.is_dir():
        data, images = None, images or data
    roles = {"title": title, "label": label, "list": qid, "id": item}
    columns = {column: role for role, column in roles.items() if column} | dict.fromkeys(text or (), "text")
    options = server.Options(
        data=data,
        project=project,
        images=images,
        vectors=vectors,
        beside=tuple(path for path in (qrels, documents) if path is not None),
        columns=columns,
        folder=folder or server.default_folder(),
        host=host,
        port=port,
        users=users,
        browser=browser,
        certfile=certfile,
        keyfile=keyfile,
        behind_proxy=behind_proxy,
    )
    server.serve(options, server.tell)
