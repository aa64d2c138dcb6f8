"""Why an application refused to start, which the server that runs it only writes into its log."""

from starlette.types import ASGIApp, Receive, Scope, Send


class Reason:
    """Wraps an application and keeps what its start-up raised."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = application
        self.error: BaseException | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self._application(scope, receive, send)
            return
        try:
            await self._application(scope, receive, send)
        except BaseException as error:
            self.error = error
            raise
