"""An agent of strands with a model that echoes, behind the A2A server of strands."""

from strands import Agent, tool
from strands.models import Model
from strands.multiagent.a2a import A2AServer

from echo import DESCRIPTION, HOST, NAME, PORT, QUESTION, reply, take_time, words


@tool(context=True)
def ask_user(tool_context):
    """Asks the user."""
    return tool_context.interrupt('colour', reason=QUESTION)


class EchoModel(Model):
    def update_config(self, **config):
        pass

    def get_config(self):
        return {}

    async def structured_output(self, output_model, prompt, system_prompt=None, **more):
        raise NotImplementedError
        yield

    async def stream(self, messages, tool_specs=None, system_prompt=None, **more):
        said = [message for message in messages if message['role'] == 'user']
        given = said[-1]['content'][0]
        yield {'messageStart': {'role': 'assistant'}}
        if given.get('text') == 'ask':
            yield {'contentBlockStart': {'start': {'toolUse': {'toolUseId': 'call-1', 'name': 'ask_user'}}}}
            yield {'contentBlockDelta': {'delta': {'toolUse': {'input': '{}'}}}}
            yield {'contentBlockStop': {}}
            yield {'messageStop': {'stopReason': 'tool_use'}}
            return
        text = given['text'] if 'text' in given else given['toolResult']['content'][0]['text']
        await take_time(text)
        yield {'contentBlockStart': {'start': {}}}
        for word in words(reply(text, len(said))):
            yield {'contentBlockDelta': {'delta': {'text': word}}}
        yield {'contentBlockStop': {}}
        yield {'messageStop': {'stopReason': 'end_turn'}}


def make(context_id):
    return Agent(
        name=NAME,
        description=DESCRIPTION,
        model=EchoModel(),
        tools=[ask_user],
        callback_handler=None,
    )


A2AServer(agent_factory=make, host=HOST, port=PORT).serve()
