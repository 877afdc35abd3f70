"""What every agent here does, whatever its framework: `ask` asks for a colour, `slow` takes a while, and
anything else comes back in words, with the turn of the conversation as far as the framework remembers it."""

import asyncio
import os

HOST = '127.0.0.1'
PORT = int(os.environ.get('PORT', '0'))
URL = f'http://{HOST}:{PORT}'
NAME = 'Echo'
DESCRIPTION = 'Says what it was told.'
QUESTION = 'Which colour?'
SLOW_SECONDS = int(os.environ.get('SECONDS', '12'))


def reply(text, turn):
    return f'echo: {text} (turn {turn})'


def words(text):
    """The text in pieces, as a model streams it."""
    return [word if index == 0 else f' {word}' for index, word in enumerate(text.split(' '))]


async def take_time(text):
    """Cancelable; for a text that wants it."""
    if text == 'slow':
        await asyncio.sleep(SLOW_SECONDS)


def serve(app):
    import uvicorn

    uvicorn.run(app, host=HOST, port=PORT, log_level='warning')
