"""/docs: a plain page of what the API takes, which loads nothing from anywhere else."""

from html import escape
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

router = APIRouter(include_in_schema=False)


@router.api_route("/docs", methods=["GET", "HEAD"])
async def docs(request: Request) -> Response:
    """Serve the page."""
    page = _PAGE.format(operations=_operations(request.app.openapi()))
    return HTMLResponse(page, headers={"Content-Security-Policy": POLICY})


def _operations(description: dict[str, Any]) -> str:
    rows = [
        f"<dt><code>{method.upper()} {escape(path)}</code></dt>"
        f"<dd>{escape(operation.get('description', operation['summary']))}</dd>"
        for path, operations in description["paths"].items()
        for method, operation in operations.items()
    ]
    return "\n".join(rows)


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rowmill: the API</title>
</head>
<body>
<h1>The API of Rowmill</h1>
<p>The whole description, for programs: <a href="/openapi.json">/openapi.json</a></p>
<dl>
{operations}
</dl>
</body>
</html>
"""
