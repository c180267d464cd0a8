import type { AssistantPart, ChatRequest, Message, UserPart } from "../canonical/request";
import { jsonSentence } from "./json-sentence";
import { documentText } from "./plain-document";

/** A question that is not empty, for applications that want one. */
const FILLER = "...";

/**
 * The whole conversation as one text, for applications that take a question: each message under the name of its side,
 * but a single message of the user as it is.
 */
export function queryText({ messages, responseFormat }: ChatRequest): string {
  const said = messages.map((message) => ({ role: headingOf(message), text: messageText(message) }));
  const told = said.filter(({ text }) => text !== "");
  const wish = jsonSentence(responseFormat);
  if (wish !== "") told.unshift({ role: "SYSTEM", text: wish });
  const [only] = told;
  if (!only) return FILLER;
  if (told.length === 1 && only.role === "USER") return only.text;
  return told.map(({ role, text }) => `${role}:\n${text}`).join("\n\n");
}

function headingOf({ role }: Message): string {
  return role === "developer" ? "SYSTEM" : role.toUpperCase();
}

/** The texts of a message, and of the documents of plain text in it. */
export function messageText({ content }: Message): string {
  return (content as readonly (UserPart | AssistantPart)[])
    .map(partText)
    .filter((text) => text !== "")
    .join("\n");
}

function partText(part: UserPart | AssistantPart): string {
  if (part.type === "text" || part.type === "refusal") return part.text;
  return part.type === "file" && part.source.type === "text" ? documentText(part.source.text, part.name) : "";
}
