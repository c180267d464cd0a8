import type { ChatRequest, UserPart } from "../../canonical/request";

/** Whether a message of the user has such a part. */
export function someUserPart({ messages }: ChatRequest, is: (part: UserPart) => boolean): boolean {
  return messages.some((message) => message.role === "user" && message.content.some(is));
}

/** Whether a message of the user or the result of a tool has such a part. */
export function somePart(request: ChatRequest, is: (part: UserPart) => boolean): boolean {
  const isInResult = request.messages.some((message) => message.role === "tool" && message.content.some(is));
  return isInResult || someUserPart(request, is);
}

/** A file that cannot be given as text. */
export function isBinaryFile(part: UserPart): boolean {
  return part.type === "file" && part.source.type !== "text";
}

/** A picture that only the upstream has that it was uploaded to. */
export function isUploadedImage(part: UserPart): boolean {
  return part.type === "image" && part.source.type !== "url" && part.source.type !== "base64";
}

export function isPictureOrSound({ type }: UserPart): boolean {
  return type === "image" || type === "audio";
}
