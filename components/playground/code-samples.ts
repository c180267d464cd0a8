import { type PlaygroundSettings, toMoreParameters } from "./settings";

export const LANGUAGES = ["curl", "python", "typescript"] as const;
export type CodeLanguage = (typeof LANGUAGES)[number];

type Sample = {
  /** Base URL of the API, with /v1. */
  baseUrl: string;
  model: string;
  messages: readonly { role: string; content: string }[];
  settings: PlaygroundSettings;
};

/** The key comes from the environment, so that nobody copies it into code. */
export const KEY_VARIABLE = "WEIR_TOKEN";

/** The playground's request as sample code that uses a token. */
export function toCode(language: CodeLanguage, sample: Sample): string {
  const { baseUrl, model, messages, settings } = sample;
  const asked = messages.length > 0 ? messages : [{ role: "user", content: "Hello" }];
  const parameters = {
    model,
    messages: asked,
    stream: true,
    ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
    ...(settings.maxTokens > 0 ? { max_tokens: settings.maxTokens } : {}),
    ...toMoreParameters(settings),
  };
  if (language === "curl") return jsonCurl(`${baseUrl}/chat/completions`, parameters);
  return language === "python" ? python(baseUrl, parameters) : typescript(baseUrl, parameters);
}

export function jsonCurl(url: string, parameters: object): string {
  // Inside single quotes the shell treats only the quote itself specially.
  const body = JSON.stringify(parameters, null, 2).replaceAll("'", `'\\''`);
  return [
    `curl ${url} \\`,
    `  -H "Authorization: Bearer $${KEY_VARIABLE}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '${body}'`,
  ].join("\n");
}

/** One keyword argument on each line. */
export function pythonArguments(parameters: object): string {
  return Object.entries(parameters)
    .map(([name, value]) => `    ${name}=${pythonValue(value)},`)
    .join("\n");
}

function python(baseUrl: string, parameters: object): string {
  return [
    "import os",
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=os.environ["${KEY_VARIABLE}"])`,
    "stream = client.chat.completions.create(",
    pythonArguments(parameters),
    ")",
    "for chunk in stream:",
    "    if chunk.choices and chunk.choices[0].delta.content:",
    '        print(chunk.choices[0].delta.content, end="", flush=True)',
  ].join("\n");
}

/** JSON literals are valid Python except true, false and null. Here these occur only as top-level values. */
function pythonValue(value: unknown): string {
  if (value === true) return "True";
  if (Array.isArray(value) && value.length > 1)
    return `[\n${value.map((item) => `        ${JSON.stringify(item)},`).join("\n")}\n    ]`;
  return JSON.stringify(value);
}

/** An object literal. */
export function scriptFields(parameters: object): string {
  return JSON.stringify(parameters, null, 2).replace(/^(\s*)"([a-z_]+)":/gm, "$1$2:");
}

function typescript(baseUrl: string, parameters: object): string {
  return [
    'import OpenAI from "openai";',
    "",
    `const client = new OpenAI({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: process.env.${KEY_VARIABLE} });`,
    `const stream = await client.chat.completions.create(${scriptFields(parameters)});`,
    "for await (const chunk of stream) {",
    '  process.stdout.write(chunk.choices[0]?.delta?.content ?? "");',
    "}",
  ].join("\n");
}
