import { newId } from "@/components/form/new-id";

/** loading: requested, no text yet; incomplete: streaming; complete; error (B171). */
type MessageState = "loading" | "incomplete" | "complete" | "error";

export type AnswerFigures = {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  /** Null if the model's price is unknown. */
  quota: number | null;
  /** Estimated in the browser, because the upstream reported no usage. */
  estimated: boolean;
  totalMs: number;
  firstTokenMs: number | null;
};

export type ChatMessage = {
  id: string;
  role: "user" | "assistant";
  text: string;
  state: MessageState;
  /** The user stopped the answer. */
  stopped?: boolean;
  figures?: AnswerFigures;
};

/** The messages of one model. Several lanes answer the same questions side by side. */
export type Lane = { id: string; model: string; messages: ChatMessage[] };

export type Conversation = {
  id: string;
  /** Unix milliseconds of the last change. */
  updatedAt: number;
  lanes: Lane[];
};

export const LANES_MAX = 3;

const TITLE_LENGTH = 60;

export function newConversation(models: readonly string[]): Conversation {
  return {
    id: newId(),
    updatedAt: Date.now(),
    lanes: models.map((model) => ({ id: newId(), model, messages: [] })),
  };
}

/** A conversation that goes on after these messages. */
export function begunConversation(
  model: string,
  messages: readonly Pick<ChatMessage, "role" | "text">[],
): Conversation {
  const conversation = newConversation([model]);
  const said = messages.map(({ role, text }) => ({ id: newId(), role, text, state: "complete" as const }));
  return { ...conversation, lanes: conversation.lanes.map((lane) => ({ ...lane, messages: said })) };
}

/** The first question, shortened; "" if there is none. */
export function titleOf(conversation: Conversation): string {
  const first = conversation.lanes[0]?.messages.find((message) => message.role === "user")?.text.trim() ?? "";
  return first.length > TITLE_LENGTH ? `${first.slice(0, TITLE_LENGTH)}…` : first;
}

export const isEmpty = (conversation: Conversation) => conversation.lanes.every((lane) => lane.messages.length === 0);

export const isRunning = (message: ChatMessage) => message.state === "loading" || message.state === "incomplete";

export const isAnswering = (conversation: Conversation) =>
  conversation.lanes.some((lane) => lane.messages.some(isRunning));

const loading = (): ChatMessage => ({ id: newId(), role: "assistant", text: "", state: "loading" });

function changeLane(conversation: Conversation, laneId: string, change: (lane: Lane) => Lane): Conversation {
  const lanes = conversation.lanes.map((lane) => (lane.id === laneId ? change(lane) : lane));
  return { ...conversation, lanes, updatedAt: Date.now() };
}

/** Adds a question and a pending answer to every lane. */
export function askAll(conversation: Conversation, text: string): Conversation {
  const lanes = conversation.lanes.map((lane) => ({
    ...lane,
    messages: [...lane.messages, { id: newId(), role: "user", text, state: "complete" } as const, loading()],
  }));
  return { ...conversation, lanes, updatedAt: Date.now() };
}

/** Requests an answer again; removes it and everything after it. */
export function retryFrom(conversation: Conversation, laneId: string, answerId: string): Conversation {
  return changeLane(conversation, laneId, (lane) => {
    const at = lane.messages.findIndex((message) => message.id === answerId);
    return at === -1 ? lane : { ...lane, messages: [...lane.messages.slice(0, at), loading()] };
  });
}

/** Replaces an earlier question; removes everything after it. */
export function editQuestion(conversation: Conversation, laneId: string, id: string, text: string): Conversation {
  return changeLane(conversation, laneId, (lane) => {
    const at = lane.messages.findIndex((message) => message.id === id);
    const question = lane.messages[at];
    if (!question) return lane;
    return { ...lane, messages: [...lane.messages.slice(0, at), { ...question, text }, loading()] };
  });
}

export function patchMessage(
  conversation: Conversation,
  laneId: string,
  id: string,
  patch: (message: ChatMessage) => Partial<ChatMessage>,
): Conversation {
  return changeLane(conversation, laneId, (lane) => ({
    ...lane,
    messages: lane.messages.map((message) => (message.id === id ? { ...message, ...patch(message) } : message)),
  }));
}

export function setLaneModel(conversation: Conversation, laneId: string, model: string): Conversation {
  return changeLane(conversation, laneId, (lane) => ({ ...lane, model }));
}

/** Adds a lane for another model. It receives only the questions asked from now on. */
export function addLane(conversation: Conversation, model: string): Conversation {
  if (conversation.lanes.length >= LANES_MAX) return conversation;
  return { ...conversation, lanes: [...conversation.lanes, { id: newId(), model, messages: [] }] };
}

export function removeLane(conversation: Conversation, laneId: string): Conversation {
  if (conversation.lanes.length <= 1) return conversation;
  return { ...conversation, lanes: conversation.lanes.filter((lane) => lane.id !== laneId) };
}

/** The messages sent upstream, without failed and pending answers. */
export function toWireMessages(lane: Lane, system: string): { role: string; content: string }[] {
  const said = lane.messages
    .filter((message) => message.state === "complete" && message.text !== "")
    .map(({ role, text }) => ({ role, content: text }));
  return system.trim() === "" ? said : [{ role: "system", content: system }, ...said];
}
