import { type Json, readList, readObject, readText } from "../../canonical/json";
import { addDrawn } from "../common/request-fields";
import type { Attachments, Countable } from "../dialect";
import { type AnswerPicture, markPictures, mayHoldPictures, splitPictures } from "./answer-pictures";
import { dataUrl } from "./data-url";

/** The pictures that a model made in a request of the caller's own format, which goes on to an upstream of that format. */

type Form = { list: string; text: string; picture(picture: AnswerPicture): Json };
const FORMS: Readonly<Record<string, Form>> = {
  "openai-chat": {
    ...{ list: "messages", text: "text" },
    picture: ({ mediaType, data }) => ({ type: "image_url", image_url: { url: dataUrl(mediaType, data) } }),
  },
  "anthropic-messages": {
    ...{ list: "messages", text: "text" },
    picture: ({ mediaType, data }) => ({ type: "image", source: { type: "base64", media_type: mediaType, data } }),
  },
  "openai-responses": {
    ...{ list: "input", text: "input_text" },
    picture: ({ mediaType, data }) => ({ type: "input_image", image_url: dataUrl(mediaType, data), detail: "auto" }),
  },
};

/** The request with them as pictures of the user, as `encodeHistory` has them; the same object where there are none. */
export function withPicturesShown(json: Json, format: string): Json {
  const form = FORMS[format];
  if (!form) return json;
  const given = json[form.list];
  if (!Array.isArray(given)) return json;
  const written: unknown[] = [];
  let pending: Json[] = [];
  let count = 0;
  const mark = (text: string): string => {
    const marked = markPictures(text, count, (label, picture) => {
      pending.push({ type: form.text, text: label }, form.picture(picture));
    });
    count = marked.count;
    return marked.text;
  };
  for (const value of given) {
    const message = readObject(value);
    if (message.role === "assistant") written.push(withTexts(message, mark));
    else if (message.role === "user" && pending.length > 0) {
      written.push({ ...message, content: joined(message.content, pending, form) });
      pending = [];
    } else written.push(value);
  }
  if (pending.length > 0) written.push({ role: "user", content: pending });
  return count === 0 ? json : { ...json, [form.list]: written };
}

function withTexts(message: Json, change: (text: string) => string): Json {
  const { content } = message;
  const changed = (text: unknown): unknown => (typeof text === "string" && mayHoldPictures(text) ? change(text) : text);
  if (!Array.isArray(content)) return { ...message, content: changed(content) };
  const parts = content.map((part: unknown) => {
    const { text } = readObject(part);
    return typeof text === "string" && mayHoldPictures(text) ? { ...readObject(part), text: changed(text) } : part;
  });
  return { ...message, content: parts };
}

/** Results of tools have to come first. */
function joined(content: unknown, pictures: readonly Json[], { text }: Form): unknown[] {
  const parts: unknown[] = typeof content === "string" ? [{ type: text, text: content }] : [...readList(content)];
  const isResult = (part: unknown): boolean => readObject(part).type === "tool_result";
  return [...parts.filter(isResult), ...pictures, ...parts.filter((part) => !isResult(part))];
}

/** Counts the pictures in what a message of the model's says. */
export function addPicturesIn(into: Attachments, value: unknown, model: string): void {
  const { role, content } = readObject(value);
  if (role !== "assistant") return;
  const texts =
    typeof content === "string" ? [content] : readList(content).map((part) => readText(readObject(part).text));
  for (const text of texts) {
    if (!mayHoldPictures(text)) continue;
    for (const piece of splitPictures(text)) if (typeof piece !== "string") addDrawn(into, piece.data.length, model);
  }
}

/** The text of a message of the model's, with so many tokens for each picture in it. */
export function addSaid(into: Countable, text: unknown, tokensOfPicture: number): void {
  if (typeof text !== "string" || text === "") return;
  if (!mayHoldPictures(text)) {
    into.texts.push(text);
    return;
  }
  const marked = markPictures(text, 0, () => {});
  into.texts.push(marked.text);
  into.extra += marked.count * tokensOfPicture;
}
