import { isScriptAddress } from "@/lib/option/image-address";

/** A chat client; `template` contains {key} and {address}. */
export type ChatLink = { name: string; template: string };

/** The chat settings of the server's status as kept in the browser's storage (JSON text). */
export type StoredChats = { chats: string | null; chatLink: string | null; chatLink2: string | null };

/** The stored chat settings are invalid. */
export class ChatDataError extends Error {
  override name = "ChatDataError";
}

/** Parses the option Chats, in the operator's order. Throws ChatDataError if the text is invalid. */
export function readChats(text: string | null): ChatLink[] {
  if (text === null || text === "") return [];
  const list = parse(text);
  if (!Array.isArray(list)) throw new ChatDataError("not a list");
  return list.flatMap((entry: unknown) => {
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) throw new ChatDataError("not a pair");
    return Object.entries(entry).map(([name, template]) => {
      if (typeof template !== "string" || isScriptAddress(template)) throw new ChatDataError("not a link");
      return { name, template };
    });
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ChatDataError("not JSON", { cause: error });
  }
}

/** All clients: the two fixed links first, then the list. Throws ChatDataError. */
export function allChatLinks({ chats, chatLink, chatLink2 }: StoredChats): ChatLink[] {
  const fixed = [chatLink, chatLink2].flatMap((address) => (address ? [fixedLink(address)] : []));
  return [...fixed, ...readChats(chats)];
}

/**
 * Parses a fixed link: either a template, or the URL of a client that reads its settings from the fragment. Throws
 * ChatDataError.
 */
function fixedLink(address: string): ChatLink {
  if (isScriptAddress(address)) throw new ChatDataError("not a link");
  const isTemplate = address.includes("{key}") || address.includes("{address}");
  const settings = '/#/?settings={"key":"{key}","url":"{address}"}';
  const template = isTemplate ? address : `${address.replace(/\/+$/, "")}${settings}`;
  return { name: hostOf(template) ?? address, template };
}

/**
 * The client for /chat/{id}: the entry at that index of the list; without an id the first of all clients, fixed links first.
 * Null if there is none. Throws ChatDataError.
 */
export function chatLinkAt(stored: StoredChats, id: string | undefined): ChatLink | null {
  if (id === undefined) return allChatLinks(stored)[0] ?? null;
  return /^\d{1,4}$/.test(id) ? (readChats(stored.chats)[Number(id)] ?? null) : null;
}

/** True for a web link or the link of an app (ama://…); false for text that no browser can open. */
export function isOpenable({ template }: ChatLink): boolean {
  if (/^https?:/i.test(template)) return hostOf(template) !== null;
  return /^[a-z][a-z0-9+.-]*:\/\/\S/i.test(template);
}

/** Inserts the key (with "sk-") and this site's address into the template. */
export function fillChatLink({ template }: ChatLink, key: string, serverAddress: string): string {
  return template
    .replaceAll("{address}", encodeURIComponent(serverAddress))
    .replaceAll("{key}", encodeURIComponent(key));
}

/** The host of a web link; null for app links (ama://…) and invalid URLs. */
export function hostOf(template: string): string | null {
  if (!/^https?:\/\//i.test(template) || !URL.canParse(template)) return null;
  return new URL(template).host;
}

/** True if the key is sent to the other site's server, i.e. stands before the fragment. App links pass it only to the app. */
export function sendsKeyToServer({ template }: ChatLink): boolean {
  const key = template.indexOf("{key}");
  const fragment = template.indexOf("#");
  return hostOf(template) !== null && key !== -1 && (fragment === -1 || key < fragment);
}
