"""A custom agent of google-adk behind its own A2A server."""

from google.adk.a2a.utils.agent_to_a2a import to_a2a
from google.adk.agents import BaseAgent
from google.adk.events import Event
from google.genai import types

from echo import DESCRIPTION, HOST, NAME, PORT, QUESTION, reply, serve, take_time, words


class EchoAgent(BaseAgent):
    async def _run_async_impl(self, ctx):
        def said(*parts, **more):
            content = types.Content(role='model', parts=list(parts))
            return Event(author=self.name, invocation_id=ctx.invocation_id, content=content, **more)

        given = ctx.user_content.parts[0]
        if given.function_response is not None:
            text = str(given.function_response.response)
            yield said(types.Part(text=reply(text, 2)))
            return
        text = given.text or ''
        if text == 'ask':
            call = types.FunctionCall(id='call-1', name='ask_user', args={'question': QUESTION})
            yield said(types.Part(function_call=call), long_running_tool_ids={call.id})
            return
        await take_time(text)
        turn = sum(1 for event in ctx.session.events if event.author == 'user')
        whole = reply(text, turn)
        for word in words(whole):
            yield said(types.Part(text=word), partial=True)
        yield said(types.Part(text=whole))


serve(to_a2a(EchoAgent(name=NAME.lower(), description=DESCRIPTION), host=HOST, port=PORT))
