import { type Json, readObject, readText } from "../../wire/canonical/json";

/** What a model reads of a part of a request. `tokens`: those of pictures and files. */
export type Content = { texts: string[]; tokens: number };

/** A picture takes some thousand tokens at most; Google embeds 8,192 of what a content has (ai.google.dev/gemini-api/docs/embeddings). */
export const PICTURE_TOKENS = 8_192;
const FILE_BYTES_PER_TOKEN = 4;

/** Under these stands a picture, a sound or a file: its data or its address. */
const FILES =
  /^(images?|image_?urls?|inline_?data|file_?data|files?|input_audio|audio|audio_url|videos?|video_url|pdf)$/i;
/** Under these stands what a part is, or what is in it. Every other name may be read as well. */
const PARTS = new Set(["type", "text", "content", "parts", "role"]);

/** All texts and files in an input that is no plain text, whatever the fields are that they stand in. */
export function contentOf(value: unknown, into: Content = { texts: [], tokens: 0 }): Content {
  if (typeof value === "string") into.texts.push(value);
  else if (Array.isArray(value)) for (const item of value) contentOf(item, into);
  else {
    for (const [name, inner] of Object.entries(readObject(value))) {
      if (FILES.test(name)) into.tokens += fileTokens(name, inner);
      else {
        if (!PARTS.has(name)) into.texts.push(name);
        contentOf(inner, into);
      }
    }
  }
  return into;
}

function fileTokens(name: string, value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + fileTokens(name, item), 0);
  if (/^images?/i.test(name) || isPicture(value)) return PICTURE_TOKENS;
  const bytes = contentOf(value).texts.reduce((sum, text) => sum + text.length, 0);
  return Math.max(PICTURE_TOKENS, Math.ceil(bytes / FILE_BYTES_PER_TOKEN));
}

function isPicture(value: unknown): boolean {
  const { mimeType, mime_type: type = mimeType } = readObject(value);
  return readText(type).startsWith("image/") || readText(value).startsWith("data:image/");
}

/** Fields that say who asks, or for which model: no model reads them. */
const UNREAD = new Set(["model", "models", "user", "safety_identifier", "metadata"]);
/** Shorter texts are choices, such as the kind of a task. */
const CHOICE_BYTES_MAX = 32;

/** Long texts of a request beside those that were asked about, such as an instruction or a title: models read them too. */
export function textsBeside(json: Json, known: readonly string[]): readonly string[] {
  return Object.entries(json).flatMap(([name, value]) => {
    if (UNREAD.has(name) || known.includes(name)) return [];
    return contentOf(value).texts.filter((text) => text.length > CHOICE_BYTES_MAX);
  });
}
