import { randomUUID } from "node:crypto";
import type { Json } from "../../../../wire/canonical/json";
import { pictureType } from "./video-fields";
import type { Picture } from "./video-request";

/** A form with these fields and a picture as a file. */
export function formWith(
  fields: Json,
  name: string,
  picture: Extract<Picture, { type: "base64" }>,
): { body: Buffer; contentType: string } {
  const boundary = `weir-${randomUUID()}`;
  const start = `--${boundary}\r\ncontent-disposition: form-data; name=`;
  const texts = Object.entries(fields).flatMap(([field, value]) =>
    value === undefined || value === null ? [] : [`${start}"${quoted(field)}"\r\n\r\n${textOf(value)}\r\n`],
  );
  const type = pictureType(picture);
  const ending = type.slice(type.indexOf("/") + 1).replace("jpeg", "jpg");
  const head = `${start}"${name}"; filename="${name}.${ending}"\r\ncontent-type: ${type}\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(texts.join("") + head),
    Buffer.from(picture.data, "base64"),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** As browsers write names. */
function quoted(text: string): string {
  return text.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}
