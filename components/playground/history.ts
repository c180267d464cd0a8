import { readStored, writeStored } from "@/components/ui/stored";
import { type Conversation, isEmpty } from "./conversation";

/** Limits of the stored conversations of one account: their number, and their characters in total. */
export const HISTORY_MAX = 30;
const HISTORY_CHARACTERS_MAX = 1_000_000;

const keyOf = (userId: number) => `playground-history-${userId}`;

/** The stored conversations of an account, latest first; [] if they cannot be read. */
export function readHistory(userId: number): Conversation[] {
  try {
    const stored: unknown = JSON.parse(readStored(keyOf(userId)) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isConversation).map(settled) : [];
  } catch {
    return [];
  }
}

/** Stores a conversation first in the list; the oldest are dropped to stay within the limits. Returns the kept list. */
export function saveConversation(userId: number, conversation: Conversation): Conversation[] {
  const others = readHistory(userId).filter((other) => other.id !== conversation.id);
  const kept = isEmpty(conversation) ? others : [conversation, ...others];
  return write(userId, kept);
}

export function forgetConversation(userId: number, id: string): Conversation[] {
  return write(
    userId,
    readHistory(userId).filter((conversation) => conversation.id !== id),
  );
}

export function forgetAll(userId: number): Conversation[] {
  return write(userId, []);
}

function write(userId: number, conversations: Conversation[]): Conversation[] {
  const kept = conversations.slice(0, HISTORY_MAX);
  let text = JSON.stringify(kept);
  while (text.length > HISTORY_CHARACTERS_MAX && kept.length > 1) {
    kept.pop();
    text = JSON.stringify(kept);
  }
  const fits = text.length <= HISTORY_CHARACTERS_MAX;
  writeStored(keyOf(userId), fits && kept.length > 0 ? text : null);
  return fits ? kept : [];
}

/** An answer that was still streaming when the page was closed is marked as stopped. */
function settled(conversation: Conversation): Conversation {
  const lanes = conversation.lanes.map((lane) => ({
    ...lane,
    messages: lane.messages.map((message) =>
      message.state === "loading" || message.state === "incomplete"
        ? ({ ...message, state: "complete", stopped: true } as const)
        : message,
    ),
  }));
  return { ...conversation, lanes };
}

function isConversation(value: unknown): value is Conversation {
  if (typeof value !== "object" || value === null) return false;
  const { id, updatedAt, lanes } = value as Record<string, unknown>;
  return typeof id === "string" && typeof updatedAt === "number" && Array.isArray(lanes) && lanes.every(isLane);
}

function isLane(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { id, model, messages } = value as Record<string, unknown>;
  return typeof id === "string" && typeof model === "string" && Array.isArray(messages) && messages.every(isMessage);
}

function isMessage(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { id, role, text, state } = value as Record<string, unknown>;
  return typeof id === "string" && typeof role === "string" && typeof text === "string" && typeof state === "string";
}
