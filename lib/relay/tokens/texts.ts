/** What a prompt or an answer is counted by: its texts, and tokens that no text stands for. */
export type Countable = { texts: string[]; extra: number };

/** What pictures, sounds and files in a prompt count (contract §5.5); a picture's size is not looked up. */
const IMAGE_LOW_TOKENS = 85;
const IMAGE_TOKENS = 765;
const AUDIO_TOKENS = 100;
const FILE_TOKENS = 5_000;
const MESSAGE_TOKENS = 3;
const REQUEST_TOKENS = 3;
const TOOL_TOKENS = 8;
const CALL_TOKENS = 7;

function readObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function addText(into: Countable, value: unknown): void {
  if (typeof value === "string" && value !== "") into.texts.push(value);
}

function addPart(into: Countable, part: unknown): void {
  const { type, text, image_url: image } = readObject(part);
  if (type === "image_url") into.extra += readObject(image).detail === "low" ? IMAGE_LOW_TOKENS : IMAGE_TOKENS;
  else if (type === "input_audio") into.extra += AUDIO_TOKENS;
  else if (type === "file") into.extra += FILE_TOKENS;
  else addText(into, text);
}

function addMessage(into: Countable, value: unknown): void {
  const { role, content, name, tool_calls: calls } = readObject(value);
  into.extra += MESSAGE_TOKENS + (typeof name === "string" ? 1 : 0);
  addText(into, role);
  addText(into, name);
  if (Array.isArray(content)) for (const part of content) addPart(into, part);
  else addText(into, content);
  if (Array.isArray(calls)) for (const call of calls) addCall(into, call);
}

function addCall(into: Countable, call: unknown): void {
  const { name, arguments: values } = readObject(readObject(call).function);
  addText(into, name);
  addText(into, values);
}

/** The texts of a chat request: messages and all tools. */
export function promptTexts(json: Readonly<Record<string, unknown>>, messages: readonly unknown[]): Countable {
  const into: Countable = { texts: [], extra: REQUEST_TOKENS };
  for (const message of messages) addMessage(into, message);
  for (const tool of Array.isArray(json.tools) ? json.tools : []) {
    into.extra += TOOL_TOKENS;
    const { name, description, parameters } = readObject(readObject(tool).function);
    addText(into, name);
    addText(into, description);
    if (parameters !== undefined) into.texts.push(JSON.stringify(parameters));
  }
  return into;
}

/** The texts of a message or a delta that a model wrote. */
function addWritten(into: Countable, value: unknown, perCall: number): void {
  const { content, reasoning_content: reasoning, reasoning: other, tool_calls: calls } = readObject(value);
  for (const text of [content, reasoning, other]) addText(into, text);
  for (const call of Array.isArray(calls) ? calls : []) {
    if (typeof readObject(call).id === "string") into.extra += perCall;
    addCall(into, call);
  }
}

/** The texts of a whole answer. */
export function answerTexts(body: Buffer): Countable {
  const into: Countable = { texts: [], extra: 0 };
  for (const choice of readChoices(body.toString("utf8"))) addWritten(into, readObject(choice).message, 0);
  return into;
}

/** The texts of the beginning of an event stream. A line that is cut off at the end is left out. */
export function streamTexts(frames: Buffer): Countable {
  const into: Countable = { texts: [], extra: 0 };
  for (const line of frames.toString("utf8").split("\n")) {
    if (!line.startsWith("data:")) continue;
    for (const choice of readChoices(line.slice(5))) addWritten(into, readObject(choice).delta, CALL_TOKENS);
  }
  // A model's words arrive in pieces; counted together they are what it wrote.
  return { texts: [into.texts.join("")], extra: into.extra };
}

function readChoices(text: string): unknown[] {
  try {
    const { choices } = readObject(JSON.parse(text));
    return Array.isArray(choices) ? choices : [];
  } catch {
    return [];
  }
}
