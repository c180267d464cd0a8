import type { AssistantPart, ChatRequest, Message, UserPart } from "../../canonical/request";
import { jsonSentence } from "../schemas/json-sentence";
import { documentText, isBlank } from "./plain-content";

/** A question that is not empty, for applications that want one. */
export const FILLER = "...";

/**
 * The whole conversation as one text, for applications that take a question: each message under the name of its side,
 * but a single message of the user as it is.
 */
export function queryText(request: ChatRequest): string {
  const { messages, responseFormat } = request;
  const wish = jsonSentence(responseFormat);
  const told = messages.filter((message) => messageText(message) !== "");
  const [only] = told;
  if (!only) return wish || FILLER;
  if (told.length === 1 && only.role === "user" && wish === "") return messageText(only);
  const text = headedText(told);
  return wish === "" ? text : `SYSTEM:\n${wish}\n\n${text}`;
}

/** Messages one after the other, each under the name of its side. */
export function headedText(messages: readonly Message[]): string {
  return messages
    .map((message) => [headingOf(message), messageText(message)] as const)
    .filter(([, text]) => text !== "")
    .map(([heading, text]) => `${heading}:\n${text}`)
    .join("\n\n");
}

/** The instructions of the caller, with the wish for JSON. */
export function systemText({ messages, responseFormat }: ChatRequest): string {
  const given = messages.filter(({ role }) => role === "system" || role === "developer").map(messageText);
  return [...given, jsonSentence(responseFormat)].filter((text) => text !== "").join("\n\n");
}

function headingOf({ role }: Message): string {
  return role === "developer" ? "SYSTEM" : role.toUpperCase();
}

/** The texts of a message, and of the documents of plain text in it. */
export function messageText({ content }: Message): string {
  return (content as readonly (UserPart | AssistantPart)[])
    .map(partText)
    .filter((text) => !isBlank(text))
    .join("\n");
}

function partText(part: UserPart | AssistantPart): string {
  if (part.type === "text" || part.type === "refusal") return part.text;
  return part.type === "file" && part.source.type === "text" ? documentText(part.source.text, part.name) : "";
}
