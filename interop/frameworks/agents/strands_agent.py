"""An agent of strands with a model that echoes, behind the A2A server of strands."""

from strands import Agent
from strands.models import Model
from strands.multiagent.a2a import A2AServer

from echo import DESCRIPTION, HOST, NAME, PORT, reply, take_time, words


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
        text = said[-1]['content'][0]['text']
        await take_time(text)
        yield {'messageStart': {'role': 'assistant'}}
        yield {'contentBlockStart': {'start': {}}}
        for word in words(reply(text, len(said))):
            yield {'contentBlockDelta': {'delta': {'text': word}}}
        yield {'contentBlockStop': {}}
        yield {'messageStop': {'stopReason': 'end_turn'}}


def make(context_id):
    return Agent(name=NAME, description=DESCRIPTION, model=EchoModel(), callback_handler=None)


A2AServer(agent_factory=make, host=HOST, port=PORT).serve()
