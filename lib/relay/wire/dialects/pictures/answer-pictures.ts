import type { ChatRequest, Message, TextPart, UserPart } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { dataUrl } from "./data-url";

/**
 * Pictures that models made. No other dialect than Google's has them in answers, so they are texts in Markdown there, and
 * callers send those back as what the model said.
 */
export type AnswerPicture = { mediaType: string; data: string };

const BEGINNING = "](data:image/";
const PICTURE = /!\[[^\]\n]{0,200}\]\(data:(image\/[\w.+-]+)(?:;[\w=.-]+)*;base64,([A-Za-z0-9+/_-]+={0,2})\)/gi;

export function pictureText({ mediaType, data }: AnswerPicture): string {
  return `![image](${dataUrl(mediaType, data)})`;
}

/** The text of a picture at an address, or in a data URL. */
export function pictureLink(url: string): string {
  return `![image](${url})`;
}

/** A text in the order of its parts. One without pictures is looked through once and comes back as it is. */
export function splitPictures(text: string): (string | AnswerPicture)[] {
  if (!text.includes(BEGINNING)) return [text];
  const parts: (string | AnswerPicture)[] = [];
  let end = 0;
  for (const { 0: whole, 1: mediaType = "", 2: data = "", index } of text.matchAll(PICTURE)) {
    if (index > end) parts.push(text.slice(end, index));
    parts.push({ mediaType: mediaType.toLowerCase(), data: data.replaceAll("-", "+").replaceAll("_", "/") });
    end = index + whole.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  // White space between pictures and text is dropped.
  return parts.filter((part) => typeof part !== "string" || part.trim() !== "" || parts.length === 1);
}

/** A text with a mark in place of each picture. `take`: gets each with a sentence that says which it is. */
export function markPictures(
  text: string,
  before: number,
  take: (label: string, picture: AnswerPicture) => void,
): { text: string; count: number } {
  let count = before;
  const pieces = splitPictures(text).map((piece) => {
    if (typeof piece === "string") return piece;
    count += 1;
    take(`Image ${count}, which you made:`, piece);
    return `[image ${count}]`;
  });
  return { text: pieces.join("\n"), count };
}

export function mayHoldPictures(text: string): boolean {
  return text.includes(BEGINNING);
}

/**
 * For upstreams that take pictures of users only, which are all but Google's: what the model drew stands in the user's next
 * message, with a mark where it was. As a text it would be hundreds of thousands of tokens.
 * OpenAI: https://platform.openai.com/docs/api-reference/chat/create (assistant content: text and refusal). Anthropic:
 * https://docs.claude.com/en/docs/build-with-claude/vision (images in user turns). Bedrock:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html ("image … role user").
 */
export function encodeHistory<Encoded>(request: ChatRequest, encode: (request: ChatRequest) => Encoded): Encoded {
  if (!request.messages.some(hasPicture)) return encode(request);
  try {
    return encode(movePictures(request, true));
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    // A format or a model of text alone: the user asked for none of them to be read, so the mark remains.
    return encode(movePictures(request, false));
  }
}

function movePictures(request: ChatRequest, areShown: boolean): ChatRequest {
  const messages: Message[] = [];
  let pending: UserPart[] = [];
  let count = 0;
  for (const message of request.messages) {
    if (message.role === "assistant") {
      const content = message.content.map((part) => {
        if (part.type !== "text" || !mayHoldPictures(part.text)) return part;
        const marked = markPictures(part.text, count, (label, picture) => {
          if (!areShown) return;
          pending.push({ type: "text", text: label }, { type: "image", source: { type: "base64", ...picture } });
        });
        count = marked.count;
        return { ...part, text: marked.text } satisfies TextPart;
      });
      messages.push({ ...message, content });
    } else if (message.role === "user" && pending.length > 0) {
      messages.push({ ...message, content: [...pending, ...message.content] });
      pending = [];
    } else messages.push(message);
  }
  if (pending.length > 0) messages.push({ role: "user", content: pending });
  return { ...request, messages };
}

function hasPicture(message: Message): boolean {
  return (
    message.role === "assistant" && message.content.some((part) => part.type === "text" && mayHoldPictures(part.text))
  );
}
