"""HTTP without TLS: otherwise each httpx.Client reads all authorities of the machine, for 50 ms."""

import ssl
from functools import partial

import httpx

_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

Client = partial(httpx.Client, verify=_NO_TLS)
get = partial(httpx.get, verify=_NO_TLS)
post = partial(httpx.post, verify=_NO_TLS)
put = partial(httpx.put, verify=_NO_TLS)
