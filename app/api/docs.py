"""/docs: the API's description to read and to try; without the network, a plain list of it."""

import base64
import hashlib
from html import escape
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

# Scripts from elsewhere run here only in the very version that was looked at: the browser
# compares the digest. What a person has uploaded is known to the same origin.
SOURCE = "https://cdn.jsdelivr.net/npm/swagger-ui-dist@5.35.0"
SCRIPT_DIGEST = "sha384-gjRm0bEPMeTmMh5jT2cHccIwCUZSTd8YC+j0d0sXw0MdGEfScduGpSyF3ZSSLkX9"
STYLE_DIGEST = "sha384-WlYgdmXYOOBWL5apwjDEZwN+U3HmXSSu5R6V5aGxEcf7z+KuRNwBhoxKVN1i3D5I"
START = (
    'window.SwaggerUIBundle?.({url: "/openapi.json", dom_id: "#description", '
    "deepLinking: true, tryItOutEnabled: true})"
)
_START_DIGEST = base64.b64encode(hashlib.sha256(START.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; script-src {SOURCE}/ 'sha256-{_START_DIGEST}'; "
    f"style-src {SOURCE}/ 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

router = APIRouter(include_in_schema=False)


@router.api_route("/docs", methods=["GET", "HEAD"])
async def docs(request: Request) -> Response:
    """Serve the page; Swagger UI replaces the plain list as soon as it has come."""
    page = _PAGE.format(operations=_operations(request.app.openapi()), start=START)
    return HTMLResponse(page, headers={"Content-Security-Policy": POLICY})


def _operations(description: dict[str, Any]) -> str:
    rows = [
        f"<dt><code>{method.upper()} {escape(path)}</code></dt>"
        f"<dd>{escape(operation.get('description', operation['summary']))}</dd>"
        for path, operations in description["paths"].items()
        for method, operation in operations.items()
    ]
    return "\n".join(rows)


_PAGE = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rowmill: the API</title>
<link rel="stylesheet" href="{SOURCE}/swagger-ui.css" integrity="{STYLE_DIGEST}" crossorigin>
</head>
<body>
<div id="description">
<h1>The API of Rowmill</h1>
<p>The whole description, for programs: <a href="/openapi.json">/openapi.json</a></p>
<dl>
{{operations}}
</dl>
</div>
<script src="{SOURCE}/swagger-ui-bundle.js" integrity="{SCRIPT_DIGEST}" crossorigin></script>
<script>{{start}}</script>
</body>
</html>
"""
