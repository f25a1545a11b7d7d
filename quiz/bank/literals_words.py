"""The words by which a number in prose is known for a figure, or for the name of something.

Each is the inside of a regular expression. Letters that are symbols as often as units (m, g, A, V) are left out.
"""

from __future__ import annotations

from typing import Final

_BYTES: Final = r"(?:[kKmMgGtTpP][iI]?|[EZ]i?)?(?:B|b|bits?|[bB]ytes?)(?:ps)?"
_RATES: Final = r"[kMGTPEZ]?(?:FLOPs?|FLOPS|flops?|Wh?|Hz)"
_TIMES: Final = r"[mµμun]?s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?"
_SPELLED: Final = (
    r"(?:kilo|mega|giga|tera|peta|exa|kibi|mebi|gibi|tebi)(?:bytes?|bits?|watts?|hertz)|(?:giga|tera|peta|exa)flops?|watts?|hertz"
    r"|microseconds?|milliseconds?|nanoseconds?"
)
_OTHER: Final = r"km(?:/h)?|cm|mm|kg|kV|kJ|MJ|°[CF]?|degrees?|miles?|kilomet(?:re|er)s?|met(?:re|er)s?|litres?|rpm|fps"
MONEY: Final = r"USD|EUR|GBP|US\$"
UNITS: Final = rf"{_BYTES}|{_RATES}|{_TIMES}|{_SPELLED}|{_OTHER}|{MONEY}|dollars?|cents?|euros?"
"""What measures. A number before it is a figure wherever it stands."""

SCALES: Final = r"hundred|thousand|million|billion|trillion|quadrillion|dozen"
SHARES: Final = r"percent|per[ \n]cent|percentage[ \n]points?|fold"

COUNTED: Final = (
    r"params?|parameters?|tokens?|GPUs?|gpus?|nodes?|layers?|steps?|sequences?|ranks?|replicas?|stages?|cards?|devices?"
    r"|micro-?batch(?:es)?|heads?|experts?|hosts?|servers?|machines?|accelerators?|chips?|interruptions?|failures?"
    r"|samples?|epochs?|iterations?|images?|requests?|users?|prompts?|sentences?|documents?|racks?|switch(?:es)?"
    r"|workers?|processes|times(?![ \n]+out(?![ \n]+of))"
)
"""What is counted. A number before it is a figure unless it says which one."""

SAID_AND_DONE: Final = r"links|copies|shards|buckets|checkpoints|messages|groups|collectives|gathers"
"""What is counted and done: a number before it is a figure only behind one of `COUNTS`, since Plan 2 shards."""

COUNTS: Final = (
    r"into|of|over|across|among|between|in|with|without|the|these|those|its|are|has|have|had|holds?|needs?|keeps?|sends?"
    r"|makes?|takes?|uses?|writes?|about|only|than|least|most|every|all"
)
"""After what a number counts things and names none of them."""

QUALITIES: Final = (
    r"(?:more|fewer|other|extra|further|additional|idle|spare|different|equal|separate|whole|full|large|small|new|old"
    r"|NVIDIA|Nvidia|AMD|physical|attention|query|key|KV|value|transformer|decoder|pipeline|data-parallel"
    r"|tensor-parallel|training|optimizer|routed|shared)"
)
"""What may stand between a number and what it counts."""

MODELS_OF_GPU: Final = r"(?:[ABHLPV]\d{2,3}[A-Z]?|T4|GB?[23]\d{2}|GH200|MI\d{3}[A-Z]?|TPUs?|[HD]GX)(?:-\w+)?s?"
"""Cards that are bought and counted: 8 A100 GPUs, 8 H100s."""

FAMILIES: Final = (
    r"MT-NLG|Llama|LLaMA|GPT|Qwen|Gemma|Mistral|Mixtral|Falcon|OPT|BLOOM|PaLM|DeepSeek|Phi|OLMo|Nemotron|Pythia|MPT|Yi|GLM"
    r"|Chinchilla|Gopher|Kimi|Grok|Jamba|Granite"
)
"""Models whose size is a part of their name: Llama 3 70B, GPT-3 175B."""

EDITIONS: Final = r"Chat|Instruct|Base|Scout|Maverick|Coder|Large|Small|Pro"
"""What may stand between the version of a model and its size: Llama 4 Scout 109B."""

LABELS: Final = (
    r"stage|step|rank|phase|layer|level|epoch|iteration|day|week|node|GPU|expert|chunk|round|option|version|part|point"
    r"|case|rule|class|scenario|question|method|variant|scheme|generation|number|no\."
    r"|micro-?batch|stages|steps|ranks"
)
"""What is numbered: after them a small number says which one."""

PLACES: Final = (
    r"sections?|figures?|fig\.|tables?|chapters?|pages?|appendix|equations?|eq\.|algorithm|theorem|lemma|lines?"
    r"|exercise|footnote|(?-i:Part|Class|Rule|Case)"
)
"""Places in a text."""

VERSIONED: Final = r"PyTorch|torch|Python|CUDA|ZeRO|ZeRO[ \n]stage|RTX|GTX|Gaudi|Trainium"
"""Programs, methods and devices that have a number."""

ORDINAL: Final = (
    r"moments?|orders?|derivatives?|hal(?:f|ves)|cop(?:y|ies)|pass(?:es)?|forwards?|backwards?|reads?|gathers?"
)
"""What the word `second` counts off: in "4 second moments" it is no unit of time."""
