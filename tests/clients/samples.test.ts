// The sample code of the model pages, run as a visitor would run it.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationSnippets, type SampledOperation } from "@/components/token/operation-samples";
import { startDocumentUpstream } from "@/lib/testing/fake-documents";
import { SOUND, TRANSCRIPT } from "@/lib/testing/fake-media";
import { PROVIDERS } from "../relay/documents-harness";
import { setUpMedia, wave } from "../relay/media-harness";

const run = promisify(execFile);
const DOCUMENT_MODELS = [
  [PROVIDERS.openai, "text-embedding-3-small"],
  [PROVIDERS.jina, "jina-reranker"],
  [PROVIDERS.openai, "omni-moderation-latest"],
] as const;
const { relay } = setUpMedia(["gpt-image-1", "tts-1", "whisper-1"], {
  ModelRatio: Object.fromEntries(
    [...DOCUMENT_MODELS.map(([, model]) => model), "gpt-image-1"].map((name) => [name, 1]),
  ),
});
let documents: Awaited<ReturnType<typeof startDocumentUpstream>>;
let folder: string;

beforeAll(async () => {
  documents = await startDocumentUpstream();
  for (const [{ name, type }, models] of DOCUMENT_MODELS)
    await relay.addChannel({ type, models, key: "good-key", baseUrl: `${documents.url}/${name}` });
  await relay.inForce();
  folder = await mkdtemp(join(tmpdir(), "weir-samples-"));
});
afterAll(async () => {
  await documents.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each([
  ["embeddings", "text-embedding-3-small", /embedding/],
  ["rerank", "jina-reranker", /relevance_score/],
  ["moderations", "omni-moderation-latest", /flagged/],
  ["images", "gpt-image-1", /b64_json/],
  ["image_edits", "gpt-image-1", /b64_json/],
  ["speech", "tts-1", null],
  ["transcriptions", "whisper-1", TRANSCRIPT],
] as const)("the sample for %s", (operation, model, printed) => {
  test.each(["curl", "javascript"] as const)("in %s runs against the gateway", async (language) => {
    await writeFile(join(folder, "picture.png"), Buffer.alloc(1_000, 7));
    await writeFile(join(folder, "speech.mp3"), wave(1));
    const output = await runSample(operation, model, language);
    if (printed !== null) expect(output).toMatch(printed);
    else expect((await readFile(join(folder, "speech.mp3"))).equals(SOUND)).toBe(true);
  });
});

async function runSample(operation: SampledOperation, model: string, language: string): Promise<string> {
  const { token } = await relay.addCaller();
  const source = { serverAddress: relay.url, key: token.key, model };
  const text = operationSnippets(operation, source).find(({ id }) => id === language)?.text ?? "";
  const file = join(folder, language === "curl" ? "sample.sh" : "sample.mjs");
  await writeFile(file, text);
  const { stdout } = await run(language === "curl" ? "sh" : process.execPath, [file], { cwd: folder });
  return stdout;
}
