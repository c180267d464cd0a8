import { type Json, readText } from "../../canonical/json";
import type { AssistantPart } from "../../canonical/request";
import { type AnswerPicture, pictureText } from "../pictures/answer-pictures";
import { field, objectField } from "./fields";
import { mediaOf } from "./media";
import { decodePictureSignature, decodeSignature } from "./signature";

/** What a part of a model's consists of. `signature` signs the thinking before it. */
export type Piece = AssistantPart | { type: "signature"; signature: string };

/**
 * A part of a model's. Google signs a part with what the model thought before it: that is the signature of the thinking
 * that came just before, or else hidden thinking. Null = a part that no other dialect has. `callId`: what the ids of
 * calls begin with that have none. `calls`: how many came before.
 */
export function piecesOf(part: Json, isAfterThinking: boolean, callId: string, calls: number): Piece[] | null {
  const content = contentOf(part, callId, calls);
  if (content === null) return null;
  const raw = readText(field(part, "thoughtSignature"));
  if (raw === "") return content;
  const signature = pictureOf(part) ? decodePictureSignature(raw) : decodeSignature(raw);
  const [only] = content;
  if (only?.type === "thinking") return [only, { type: "signature", signature }];
  return isAfterThinking
    ? [{ type: "signature", signature }, ...content]
    : [{ type: "redacted-thinking", data: signature }, ...content];
}

function contentOf(part: Json, callId: string, calls: number): AssistantPart[] | null {
  const text = readText(part.text);
  if (text !== "") return [part.thought === true ? { type: "thinking", text } : { type: "text", text }];
  const call = field(part, "functionCall");
  if (call !== undefined && call !== null) {
    const { id, name, args } = objectField(part, "functionCall");
    const values = JSON.stringify(args ?? {});
    return [{ type: "tool-call", id: readText(id) || `${callId}_${calls}`, name: readText(name), arguments: values }];
  }
  const told = textOfOther(part);
  if (told !== null) return [{ type: "text", text: told }];
  return isEmpty(part) ? [] : null;
}

/** A part of a signature alone, or a picture that was only a thought. */
function isEmpty(part: Json): boolean {
  return typeof part.text === "string" || part.thought === true || field(part, "thoughtSignature") !== undefined;
}

/**
 * Pictures and code that Google ran, in Markdown, because no other dialect has them in answers. Pictures that are thoughts
 * are sketches, and no answers: https://ai.google.dev/gemini-api/docs/image-generation#thinking-process.
 */
function textOfOther(part: Json): string | null {
  const picture = pictureOf(part);
  if (picture) return pictureText(picture);
  const code = objectField(part, "executableCode");
  if (readText(code.code) !== "") {
    return `\n\`\`\`${readText(code.language).toLowerCase()}\n${readText(code.code)}\n\`\`\`\n`;
  }
  const { output } = objectField(part, "codeExecutionResult");
  return readText(output) === "" ? null : `\n\`\`\`output\n${readText(output)}\n\`\`\`\n`;
}

function pictureOf(part: Json): AnswerPicture | null {
  const media = mediaOf(part);
  const isPicture = media?.source.type === "base64" && media.mediaType.startsWith("image/");
  if (!isPicture || part.thought === true || media?.source.type !== "base64") return null;
  return { mediaType: media.mediaType, data: media.source.data };
}

/** The parts of a model's whole message. Parts that no other dialect has are left out. */
export function assistantParts(parts: readonly Json[], callId: string): AssistantPart[] {
  const content: AssistantPart[] = [];
  let calls = 0;
  for (const part of parts) {
    for (const piece of piecesOf(part, endsUnsigned(content), callId, calls) ?? []) {
      if (piece.type === "tool-call") calls += 1;
      addPiece(content, piece);
    }
  }
  return content;
}

function endsUnsigned(content: readonly AssistantPart[]): boolean {
  const last = content.at(-1);
  return last?.type === "thinking" && last.signature === undefined;
}

function addPiece(content: AssistantPart[], piece: Piece): void {
  const last = content.at(-1);
  if (piece.type === "signature") {
    if (last?.type === "thinking") last.signature = piece.signature;
  } else if (piece.type === "text" && last?.type === "text") last.text += piece.text;
  else if (piece.type === "thinking" && last?.type === "thinking" && last.signature === undefined) {
    last.text += piece.text;
  } else content.push(piece);
}

/** Some answers have no ids of calls, but the results need them. */
export function callIdOf(answerId: string, choice: number): string {
  return `call_${answerId}_${choice}`.replace(/[^\w-]/g, "_");
}
