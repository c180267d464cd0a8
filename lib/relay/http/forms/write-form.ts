import { randomUUID } from "node:crypto";
import { joinBodies, type LargeBody, type RequestBody } from "../../base/large-body";
import type { Form } from "./form";

const END = Buffer.from("\r\n");

/** The form as a multipart body with a boundary of its own. */
export function writeForm(form: Form): { contentType: string; body: LargeBody } {
  const boundary = `weir-${randomUUID()}`;
  const parts: RequestBody[] = form.entries.flatMap((entry): RequestBody[] => {
    const start = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(entry.name)}"`;
    if ("text" in entry) return [Buffer.from(`${start}\r\n\r\n${entry.text}\r\n`)];
    const { fileName, type, file } = entry;
    return [
      Buffer.from(`${start}; filename="${quoted(fileName)}"\r\ncontent-type: ${lineOf(type)}\r\n\r\n`),
      file,
      END,
    ];
  });
  const body = joinBodies([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}

/** As browsers write names. */
function quoted(text: string): string {
  return text.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}

function lineOf(type: string): string {
  return /^[\x20-\x7e]{1,100}$/.test(type) ? type : "application/octet-stream";
}
