import type { OperationId } from "@/lib/operations";
import { type Snippet, type SnippetSource, shellWord } from "./snippets";

/** Operations with a sample of their own; conversations have those for many clients. */
export type SampledOperation = Exclude<OperationId, "chat">;

type Sample = {
  path: string;
  /** Fields of the JSON body, or of the form where there are files. */
  body: Record<string, unknown>;
  /** Form fields with the files that the caller has to bring. */
  files?: Record<string, string>;
  /** The file that the answer is saved as; absent = the answer is JSON and is printed. */
  saveAs?: string;
  /** Where the result is fetched later, by the id in the answer. */
  later?: string;
};

const PROMPT = "A weir at dawn";

const SAMPLES: Record<Exclude<SampledOperation, "realtime">, (model: string) => Sample> = {
  completions: (model) => ({ path: "/v1/completions", body: { model, prompt: "Once upon a time", max_tokens: 50 } }),
  embeddings: (model) => ({ path: "/v1/embeddings", body: { model, input: "Hello" } }),
  rerank: (model) => ({
    path: "/v1/rerank",
    body: { model, query: "What is a weir?", documents: ["A low dam across a river.", "A kind of bird."] },
  }),
  moderations: (model) => ({ path: "/v1/moderations", body: { model, input: "Hello" } }),
  images: (model) => ({ path: "/v1/images/generations", body: { model, prompt: PROMPT } }),
  image_edits: (model) => ({
    path: "/v1/images/edits",
    body: { model, prompt: "Add a heron" },
    files: { image: "picture.png" },
  }),
  speech: (model) => ({
    path: "/v1/audio/speech",
    body: { model, input: "Hello", voice: "alloy" },
    saveAs: "speech.mp3",
  }),
  transcriptions: (model) => ({
    path: "/v1/audio/transcriptions",
    body: { model },
    files: { file: "speech.mp3" },
  }),
  drawing: () => ({ path: "/mj/submit/imagine", body: { prompt: PROMPT }, later: "/mj/task/ID/fetch" }),
  music: (model) => ({
    ...(model === "suno_lyrics"
      ? { path: "/suno/submit/lyrics", body: { prompt: PROMPT } }
      : { path: "/suno/submit/music", body: { gpt_description_prompt: "A calm folk song about a river" } }),
    later: "/suno/fetch/ID",
  }),
  videos: (model) => ({ path: "/v1/videos", body: { model, prompt: PROMPT }, later: "/v1/videos/ID" }),
};

/** Ready-to-run requests of an operation. Nothing needs to be installed but `requests` and `websockets` for Python. */
export function operationSnippets(operation: SampledOperation, source: SnippetSource): Snippet[] {
  if (operation === "realtime") return realtimeSnippets(source);
  const sample = SAMPLES[operation](source.model);
  return [
    { id: "curl", label: "curl", kind: "shell", text: curl(sample, source) },
    { id: "python", label: "Python", kind: "python", text: python(sample, source) },
    { id: "javascript", label: "JavaScript", kind: "javascript", text: javascript(sample, source) },
  ];
}

/** JSON texts are texts of Python and JavaScript too. */
const quoted = (text: string) => JSON.stringify(text);
const LATER = "The result comes later. Ask for it by the id in the answer:";

function curl(sample: Sample, { serverAddress, key }: SnippetSource): string {
  const { path, body, files, saveAs, later } = sample;
  const authorization = `-H ${shellWord(`Authorization: Bearer ${key}`)}`;
  const content = files
    ? [
        ...Object.entries(body).map(([name, value]) => `-F ${shellWord(`${name}=${String(value)}`)}`),
        ...Object.entries(files).map(([name, file]) => `-F ${shellWord(`${name}=@${file}`)}`),
      ]
    : ["-H 'Content-Type: application/json'", `-d ${shellWord(JSON.stringify(body))}`];
  const save = saveAs ? [`--fail-with-body --output ${saveAs}`] : [];
  const lines = [`curl ${shellWord(serverAddress + path)}`, authorization, ...content, ...save].join(" \\\n  ");
  return later ? `${lines}\n# ${LATER}\n# curl ${shellWord(serverAddress + later)} ${authorization}` : lines;
}

function python(sample: Sample, { serverAddress, key }: SnippetSource): string {
  const { path, body, files, saveAs, later } = sample;
  const headers = `{"Authorization": ${quoted(`Bearer ${key}`)}}`;
  const opened = Object.entries(files ?? {}).map(([name, file]) => `${quoted(name)}: open(${quoted(file)}, "rb")`);
  return [
    "# pip install requests",
    "import requests",
    "",
    "answer = requests.post(",
    `    ${quoted(serverAddress + path)},`,
    `    headers=${headers},`,
    `    ${files ? "data" : "json"}=${JSON.stringify(body)},`,
    ...(files ? [`    files={${opened.join(", ")}},`] : []),
    ")",
    ...(saveAs
      ? ["answer.raise_for_status()", `open(${quoted(saveAs)}, "wb").write(answer.content)`]
      : ["print(answer.json())"]),
    ...(later ? [`# ${LATER}`, `# requests.get(${quoted(serverAddress + later)}, headers=${headers}).json()`] : []),
  ].join("\n");
}

function javascript(sample: Sample, { serverAddress, key }: SnippetSource): string {
  const { path, body, files, saveAs, later } = sample;
  const authorization = `Authorization: ${quoted(`Bearer ${key}`)}`;
  const imports = [
    ...(files ? ['import { openAsBlob } from "node:fs";'] : []),
    ...(saveAs ? ['import { writeFile } from "node:fs/promises";'] : []),
  ];
  const form = files
    ? [
        "const form = new FormData();",
        ...Object.entries(body).map(([name, value]) => `form.append(${quoted(name)}, ${quoted(String(value))});`),
        ...Object.entries(files).map(
          ([name, file]) => `form.append(${quoted(name)}, await openAsBlob(${quoted(file)}), ${quoted(file)});`,
        ),
      ]
    : [];
  return [
    ...imports,
    ...(imports.length > 0 ? [""] : []),
    ...form,
    `const answer = await fetch(${quoted(serverAddress + path)}, {`,
    '  method: "POST",',
    `  headers: { ${authorization}${files ? "" : ', "Content-Type": "application/json"'} },`,
    `  body: ${files ? "form" : `JSON.stringify(${JSON.stringify(body)})`},`,
    "});",
    ...(saveAs
      ? [
          "if (!answer.ok) throw new Error(await answer.text());",
          `await writeFile(${quoted(saveAs)}, Buffer.from(await answer.arrayBuffer()));`,
        ]
      : ["console.log(await answer.json());"]),
    ...(later
      ? [`// ${LATER}`, `// await fetch(${quoted(serverAddress + later)}, { headers: { ${authorization} } })`]
      : []),
  ].join("\n");
}

function realtimeSnippets({ serverAddress, key, model }: SnippetSource): Snippet[] {
  const address = `${serverAddress.replace(/^http/, "ws")}/v1/realtime?model=${encodeURIComponent(model)}`;
  const ask = { type: "response.create", response: { instructions: "Say hello." } };
  const inPython = [
    "# pip install websockets",
    "import json",
    "from websockets.sync.client import connect",
    "",
    `with connect(${quoted(address)}, additional_headers={"Authorization": ${quoted(`Bearer ${key}`)}}) as socket:`,
    `    socket.send(json.dumps(${JSON.stringify(ask)}))`,
    "    for message in socket:",
    "        event = json.loads(message)",
    '        print(event["type"])',
    '        if event["type"] in ("response.done", "error"):',
    "            break",
  ].join("\n");
  const inJavascript = [
    "// Node.js 22 or later, or a browser.",
    `const protocols = ["realtime", ${quoted(`openai-insecure-api-key.${key}`)}];`,
    `const socket = new WebSocket(${quoted(address)}, protocols);`,
    `socket.onopen = () => socket.send(JSON.stringify(${JSON.stringify(ask)}));`,
    "socket.onmessage = ({ data }) => {",
    "  const event = JSON.parse(data);",
    "  console.log(event.type);",
    '  if (event.type === "response.done" || event.type === "error") socket.close();',
    "};",
  ].join("\n");
  return [
    { id: "python", label: "Python", kind: "python", text: inPython },
    { id: "javascript", label: "JavaScript", kind: "javascript", text: inJavascript },
  ];
}
