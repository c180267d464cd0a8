/** A client that can be opened with the reader's key; `template` has {key} and {address} in it. */
export type ChatLink = { name: string; template: string };

/** Where the browser keeps what the server's status said of chat clients, as text. */
export type StoredChats = { chats: string | null; chatLink: string | null; chatLink2: string | null };

/** What is stored of the chat clients cannot be read. */
export class ChatDataError extends Error {
  override name = "ChatDataError";
}

/** The clients of the option Chats, in the operator's order. Throws ChatDataError for what is no such list. */
export function readChats(text: string | null): ChatLink[] {
  if (text === null || text === "") return [];
  const list = parse(text);
  if (!Array.isArray(list)) throw new ChatDataError("not a list");
  return list.flatMap((entry: unknown) => {
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) throw new ChatDataError("not a pair");
    return Object.entries(entry).map(([name, template]) => {
      if (typeof template !== "string" || isScript(template)) throw new ChatDataError("not a link");
      return { name, template };
    });
  });
}

/** A link that would run in this site's own pages is none. */
function isScript(template: string): boolean {
  return /^\s*(javascript|data|vbscript|blob):/i.test(template);
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

/** A link that stands alone: a whole template, or the address of a client that takes its settings after "#". Throws ChatDataError. */
function fixedLink(address: string): ChatLink {
  if (isScript(address)) throw new ChatDataError("not a link");
  const isTemplate = address.includes("{key}") || address.includes("{address}");
  const settings = '/#/?settings={"key":"{key}","url":"{address}"}';
  const template = isTemplate ? address : `${address.replace(/\/+$/, "")}${settings}`;
  return { name: hostOf(template) ?? address, template };
}

/**
 * The client for /chat/{id}: the one at that place of the list; without an id the fixed link, else the first of the list.
 * Null when there is none. Throws ChatDataError.
 */
export function chatLinkAt(stored: StoredChats, id: string | undefined): ChatLink | null {
  if (id === undefined) return allChatLinks(stored)[0] ?? null;
  return /^\d{1,4}$/.test(id) ? (readChats(stored.chats)[Number(id)] ?? null) : null;
}

/** The link with the key (with "sk-") and this site's address in it. */
export function fillChatLink({ template }: ChatLink, key: string, serverAddress: string): string {
  return template
    .replaceAll("{address}", encodeURIComponent(serverAddress))
    .replaceAll("{key}", encodeURIComponent(key));
}

/** The site of a web link, null for links of installed apps (ama://…) and what is no link. */
export function hostOf(template: string): string | null {
  if (!/^https?:\/\//i.test(template) || !URL.canParse(template)) return null;
  return new URL(template).host;
}

/** Whether the other site's server gets to see the key: it stands before "#". Apps keep it to themselves. */
export function sendsKeyToServer({ template }: ChatLink): boolean {
  const key = template.indexOf("{key}");
  const fragment = template.indexOf("#");
  return hostOf(template) !== null && key !== -1 && (fragment === -1 || key < fragment);
}
