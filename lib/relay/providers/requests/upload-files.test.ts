import { expect, test } from "vitest";
import { readFile } from "./upload-files";

test.each([
  ["data:image/png;base64,aQ==", "file.png", "image/png"],
  ["data:image/svg+xml;base64,aQ==", "file.svg", "image/svg+xml"],
  ["data:AUDIO/MPEG;base64,aQ==", "file.mp3", "audio/mpeg"],
  ["data:application/pdf;name=a%20b.pdf;base64,aQ==", "a b.pdf", "application/pdf"],
  ["data:text/plain;name=%2e%2e%2f%22%0d%0ax.txt;base64,aQ==", ".._x.txt", "text/plain"],
  ["data:text/plain;name=%;base64,aQ==", "%", "text/plain"],
  ["data:;base64,aQ==", "file.bin", "application/octet-stream"],
])("the file in %s is named %s", (url, name, mediaType) => {
  expect(readFile(url)).toEqual({ name, mediaType, bytes: Buffer.from("i") });
});
