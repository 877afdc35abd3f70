"""A graph of langgraph with messages in its state, as `langgraph dev` serves it over A2A."""

import asyncio

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt


async def answer(state: MessagesState):
    said = [message for message in state['messages'] if message.type == 'human']
    content = said[-1].content
    text = content if isinstance(content, str) else content[0]['text']
    turn = len(said)
    if text == 'slow':
        await asyncio.sleep(12)
    if text == 'ask':
        text = str(interrupt('Which colour?'))
    model = GenericFakeChatModel(messages=iter([AIMessage(f'echo: {text} (turn {turn})')]))
    return {'messages': [await model.ainvoke(state['messages'])]}


builder = StateGraph(MessagesState)
builder.add_node('answer', answer)
builder.add_edge(START, 'answer')
builder.add_edge('answer', END)
graph = builder.compile(name='Echo')
