import type { Json } from "../../canonical/json";
import type { AssistantPart } from "../../canonical/request";
import { defined } from "../common/defined";
import { parseJsonObject } from "../common/json-text";
import { type AnswerPicture, splitPictures } from "../pictures/answer-pictures";
import { pictureSignature } from "./signature";

/**
 * Arguments of a call as the object that Google wants. Text that is not a JSON object is kept under the key
 * `arguments`.
 */
export function readArgs(values: string): Json {
  if (values.trim() === "") return {};
  return parseJsonObject(values) ?? { arguments: values };
}

export type WrittenCall = { id: string; name: string; arguments: string; signature: string | undefined };

export function callPart({ id, name, arguments: values, signature }: WrittenCall): Json {
  return defined({ functionCall: { id, name, args: readArgs(values) }, thoughtSignature: signature });
}

type WriteOptions = {
  /** Null = this signature is left out. */
  sign: (signature: string) => string | null;
  /** Thoughts without a signature are written too. */
  keepsThoughts: boolean;
  /** For the first call of a message that has no signature. */
  unsigned?: string;
};

function picturePart({ mediaType, data }: AnswerPicture, signature: string | undefined): Json {
  return defined({ inlineData: { mimeType: mediaType, data }, thoughtSignature: signature });
}

/** A model's message. A signature stands at the part that follows the thinking which it signs. */
export function writeParts(content: readonly AssistantPart[], { sign, keepsThoughts, unsigned }: WriteOptions): Json[] {
  const parts: Json[] = [];
  const ofPictures: string[] = [];
  let pending: string | undefined;
  let hasCalls = false;
  const take = (): string | undefined => {
    const signature = pending;
    pending = undefined;
    return signature;
  };
  const flush = (): void => {
    if (pending !== undefined) parts.push({ text: "", thoughtSignature: take() });
  };
  const keep = (signature: string | null): void => {
    const ofPicture = signature === null ? null : pictureSignature(signature);
    if (ofPicture !== null) ofPictures.push(ofPicture);
    else {
      flush();
      pending = signature ?? undefined;
    }
  };
  for (const part of content) {
    switch (part.type) {
      case "text":
      case "refusal":
        if (part.text === "") break;
        for (const piece of splitPictures(part.text)) {
          if (typeof piece === "string") parts.push(defined({ text: piece, thoughtSignature: take() }));
          else parts.push(picturePart(piece, ofPictures.shift() ?? take()));
        }
        break;
      case "thinking": {
        const signature = part.signature === undefined ? null : sign(part.signature);
        if (signature === null && !keepsThoughts) break;
        if (signature === null || pictureSignature(signature) === null) flush();
        if (part.text !== "") parts.push({ text: part.text, thought: true });
        keep(signature);
        break;
      }
      case "redacted-thinking": {
        const signature = sign(part.data);
        if (signature === null) break;
        keep(signature);
        break;
      }
      case "tool-call": {
        const signature = take() ?? (hasCalls ? undefined : unsigned);
        hasCalls = true;
        parts.push(callPart({ ...part, signature }));
      }
    }
  }
  flush();
  return parts;
}
