"""A RequirementAgent of beeai-framework with a model that echoes, behind its A2A server."""

import asyncio
import json

from beeai_framework.adapters.a2a import A2AServer
from beeai_framework.agents.requirement import RequirementAgent
from beeai_framework.backend import AssistantMessage, ChatModel, ChatModelOutput, UserMessage
from beeai_framework.backend.message import MessageToolCallContent
from beeai_framework.memory import UnconstrainedMemory
from beeai_framework.serve.utils import LRUMemoryManager

from echo import DESCRIPTION, HOST, NAME, PORT, SLOW_SECONDS, reply


class EchoModel(ChatModel):
    @property
    def model_id(self):
        return 'echo'

    @property
    def provider_id(self):
        return 'openai'

    async def answer(self, input, run):
        said = [message for message in input.messages if isinstance(message, UserMessage)]
        text = said[-1].text
        # The framework wraps what the user said in a prompt of its own.
        if 'slow' in text:
            for _ in range(SLOW_SECONDS * 10):
                run.signal.throw_if_aborted()
                await asyncio.sleep(0.1)
        args = json.dumps({'response': reply(text, len(said))})
        call = MessageToolCallContent(id='call-1', tool_name='final_answer', args=args)
        return ChatModelOutput(output=[AssistantMessage([call])], finish_reason='tool_calls')

    async def _create(self, input, run):
        return await self.answer(input, run)

    async def _create_stream(self, input, run):
        yield await self.answer(input, run)


agent = RequirementAgent(
    llm=EchoModel(),
    memory=UnconstrainedMemory(),
    name=NAME,
    description=DESCRIPTION,
)
server = A2AServer(
    config={'host': HOST, 'port': PORT}, memory_manager=LRUMemoryManager(maxsize=100)
)
server.register(agent).serve()
