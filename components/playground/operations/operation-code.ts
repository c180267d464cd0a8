import { PLAYGROUND_CALLS, type PlaygroundCall } from "@/lib/playground/types";
import { type CodeLanguage, jsonCurl, KEY_VARIABLE, pythonArguments, scriptFields } from "../code-samples";
import type { Json } from "../wire";

type Sample = {
  operation: PlaygroundCall;
  /** Base URL of the API, with /v1. */
  baseUrl: string;
  body: Json;
  /** The name of the file of a transcription, or of the picture to change. */
  fileName?: string;
};

/** The client's method for each operation. */
const METHODS: Readonly<Record<PlaygroundCall, string>> = {
  images: "images.generate",
  edits: "images.edit",
  speech: "audio.speech.create",
  transcriptions: "audio.transcriptions.create",
  embeddings: "embeddings.create",
};

const fileField = (operation: PlaygroundCall): string => (operation === "edits" ? "image" : "file");

/** A call of an operation as sample code that uses a token. */
export function toOperationCode(language: CodeLanguage, sample: Sample): string {
  if (language === "curl") return sample.fileName === undefined ? curl(sample) : formCurl(sample);
  return language === "python" ? python(sample) : typescript(sample);
}

function curl({ operation, baseUrl, body }: Sample): string {
  const code = jsonCurl(`${baseUrl}${PLAYGROUND_CALLS[operation].path}`, body);
  return operation === "speech" ? `${code} \\\n  --output ${soundFile(body)}` : code;
}

function formCurl({ operation, baseUrl, body, fileName = "" }: Sample): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `curl ${baseUrl}${PLAYGROUND_CALLS[operation].path} \\`,
    `  -H "Authorization: Bearer $${KEY_VARIABLE}" \\`,
    ...Object.entries(body).map(([name, value]) => `  -F ${quoted(`${name}=${value}`)} \\`),
    `  -F ${quoted(`${fileField(operation)}=@${fileName}`)}`,
  ].join("\n");
}

function python({ operation, baseUrl, body, fileName }: Sample): string {
  const file = fileName === undefined ? [] : [`    ${fileField(operation)}=open(${JSON.stringify(fileName)}, "rb"),`];
  return [
    "import os",
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=os.environ["${KEY_VARIABLE}"])`,
    `answer = client.${METHODS[operation]}(`,
    ...file,
    pythonArguments(body),
    ")",
    ...pythonEnd(operation, body),
  ].join("\n");
}

function pythonEnd(operation: PlaygroundCall, body: Json): string[] {
  if (body.stream === true) return ["for event in answer:", "    print(event.type)"];
  if (operation === "speech") return [`answer.write_to_file("${soundFile(body)}")`];
  return ["print(answer)"];
}

function typescript({ operation, baseUrl, body, fileName }: Sample): string {
  const file =
    fileName === undefined ? "" : `\n  ${fileField(operation)}: createReadStream(${JSON.stringify(fileName)}),`;
  return [
    ...(operation === "speech" ? ['import { writeFile } from "node:fs/promises";'] : []),
    ...(file === "" ? [] : ['import { createReadStream } from "node:fs";']),
    'import OpenAI from "openai";',
    "",
    `const client = new OpenAI({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: process.env.${KEY_VARIABLE} });`,
    `const answer = await client.${METHODS[operation]}({${file}${scriptFields(body).slice(1)});`,
    ...scriptEnd(operation, body),
  ].join("\n");
}

function scriptEnd(operation: PlaygroundCall, body: Json): string[] {
  if (body.stream === true) return ["for await (const event of answer) console.log(event.type);"];
  if (operation === "speech")
    return [`await writeFile("${soundFile(body)}", Buffer.from(await answer.arrayBuffer()));`];
  return ["console.log(answer);"];
}

function soundFile({ response_format: format }: Json): string {
  return `speech.${typeof format === "string" ? format : "mp3"}`;
}
