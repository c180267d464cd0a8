export type Snippet = {
  id: string;
  label: string;
  /** The kind of file or place the text is for. */
  kind: "shell" | "python" | "typescript" | "javascript" | "settings";
  text: string;
};

export type SnippetSource = {
  /** The public address of this site, without a trailing slash. */
  serverAddress: string;
  /** A key with "sk-", or the placeholder. */
  key: string;
  model: string;
};

const PROMPT = "Hello";

/** Ready-to-use code and settings for common languages and clients. */
export function snippetsOf(source: SnippetSource): Snippet[] {
  return [
    { id: "curl", label: "curl", kind: "shell", text: curl(source) },
    { id: "python", label: "Python", kind: "python", text: python(source) },
    { id: "typescript", label: "TypeScript", kind: "typescript", text: typescript(source) },
    { id: "claude-code", label: "Claude Code", kind: "shell", text: claudeCode(source) },
    { id: "codex", label: "Codex", kind: "settings", text: codex(source) },
    { id: "gemini-cli", label: "Gemini CLI", kind: "shell", text: geminiCli(source) },
    { id: "opencode", label: "opencode", kind: "settings", text: opencode(source) },
    { id: "aider", label: "aider", kind: "shell", text: aider(source) },
    { id: "open-webui", label: "Open WebUI", kind: "settings", text: openWebUi(source) },
    { id: "nextchat", label: "NextChat", kind: "settings", text: nextChat(source) },
    { id: "lobechat", label: "LobeChat", kind: "settings", text: lobeChat(source) },
    { id: "cherry-studio", label: "Cherry Studio", kind: "settings", text: cherryStudio(source) },
  ];
}

/** Quotes a text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function curl({ serverAddress, key, model }: SnippetSource): string {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: PROMPT }] });
  return [
    `curl ${shellWord(`${serverAddress}/v1/chat/completions`)} \\`,
    `  -H ${shellWord(`Authorization: Bearer ${key}`)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${shellWord(body)}`,
  ].join("\n");
}

/** JSON texts are texts of Python and TypeScript too. */
const quoted = (text: string) => JSON.stringify(text);

function python({ serverAddress, key, model }: SnippetSource): string {
  return [
    "# pip install openai",
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url=${quoted(`${serverAddress}/v1`)}, api_key=${quoted(key)})`,
    "answer = client.chat.completions.create(",
    `    model=${quoted(model)},`,
    `    messages=[{"role": "user", "content": ${quoted(PROMPT)}}],`,
    ")",
    "print(answer.choices[0].message.content)",
  ].join("\n");
}

function typescript({ serverAddress, key, model }: SnippetSource): string {
  return [
    "// npm install openai",
    'import OpenAI from "openai";',
    "",
    `const client = new OpenAI({ baseURL: ${quoted(`${serverAddress}/v1`)}, apiKey: ${quoted(key)} });`,
    "const answer = await client.chat.completions.create({",
    `  model: ${quoted(model)},`,
    `  messages: [{ role: "user", content: ${quoted(PROMPT)} }],`,
    "});",
    "console.log(answer.choices[0]?.message.content);",
  ].join("\n");
}

function claudeCode({ serverAddress, key, model }: SnippetSource): string {
  return [
    `export ANTHROPIC_BASE_URL=${shellWord(serverAddress)}`,
    `export ANTHROPIC_AUTH_TOKEN=${shellWord(key)}`,
    `export ANTHROPIC_MODEL=${shellWord(model)} ANTHROPIC_DEFAULT_HAIKU_MODEL=${shellWord(model)}`,
    "claude",
  ].join("\n");
}

function codex({ serverAddress, key, model }: SnippetSource): string {
  return [
    "# ~/.codex/config.toml",
    `model = ${quoted(model)}`,
    'model_provider = "weir"',
    "",
    "[model_providers.weir]",
    'name = "Weir"',
    `base_url = ${quoted(`${serverAddress}/v1`)}`,
    'env_key = "WEIR_KEY"',
    'wire_api = "responses"',
    "",
    `# export WEIR_KEY=${shellWord(key)}`,
  ].join("\n");
}

function geminiCli({ serverAddress, key, model }: SnippetSource): string {
  return [
    `export GOOGLE_GEMINI_BASE_URL=${shellWord(serverAddress)}`,
    `export GEMINI_API_KEY=${shellWord(key)}`,
    `gemini -m ${shellWord(model)}`,
  ].join("\n");
}

function opencode({ serverAddress, key, model }: SnippetSource): string {
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    name: "Weir",
    options: { baseURL: `${serverAddress}/v1`, apiKey: key },
    models: { [model]: {} },
  };
  const chosen = `weir/${model}`;
  return JSON.stringify({ model: chosen, small_model: chosen, provider: { weir: provider } }, null, 2);
}

function aider({ serverAddress, key, model }: SnippetSource): string {
  return [
    `export OPENAI_API_BASE=${shellWord(`${serverAddress}/v1`)}`,
    `export OPENAI_API_KEY=${shellWord(key)}`,
    `aider --model ${shellWord(`openai/${model}`)}`,
  ].join("\n");
}

function openWebUi({ serverAddress, key }: SnippetSource): string {
  return [`OPENAI_API_BASE_URL=${serverAddress}/v1`, `OPENAI_API_KEY=${key}`].join("\n");
}

function nextChat({ serverAddress, key, model }: SnippetSource): string {
  return [`BASE_URL=${serverAddress}`, `OPENAI_API_KEY=${key}`, `CUSTOM_MODELS=+${model}`].join("\n");
}

function lobeChat({ serverAddress, key, model }: SnippetSource): string {
  return [`OPENAI_PROXY_URL=${serverAddress}/v1`, `OPENAI_API_KEY=${key}`, `OPENAI_MODEL_LIST=+${model}`].join("\n");
}

function cherryStudio({ serverAddress, key, model }: SnippetSource): string {
  return ["Provider: OpenAI", `API Host: ${serverAddress}`, `API Key: ${key}`, `Model: ${model}`].join("\n");
}
