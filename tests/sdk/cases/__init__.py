"""Every case: its name, the program and its scenario, and the steps that are decided one after the other."""

from cases import agent_framework, code_mode, langchain, mistral, openai_agents, pydantic_ai

CASES = [
    (f"{module.PROGRAM} {scenario}: {name}", module.PROGRAM, scenario, steps)
    for module in (mistral, pydantic_ai, code_mode, langchain, openai_agents, agent_framework)
    for scenario, name, steps in module.CASES
]
