"""An agent of python-a2a, whose wire is older than A2A 0.2."""

from python_a2a import A2AServer, AgentCard, AgentSkill, TaskState, TaskStatus, run_server

from echo import DESCRIPTION, HOST, NAME, PORT, URL, reply


class EchoAgent(A2AServer):
    def handle_task(self, task):
        text = (task.message or {}).get('content', {}).get('text', '')
        task.artifacts = [{'parts': [{'type': 'text', 'text': reply(text, 1)}]}]
        task.status = TaskStatus(state=TaskState.COMPLETED)
        return task


card = AgentCard(
    name=NAME,
    description=DESCRIPTION,
    url=URL,
    version='1.0.0',
    skills=[AgentSkill(name=NAME, description=DESCRIPTION, tags=['echo'])],
)
run_server(EchoAgent(agent_card=card), host=HOST, port=PORT)
