const INTERNET = "-internet";

/** The suffix asks for a search; it is no part of the provider's name. */
export function readModelName(name: string): { model: string; searches: boolean } {
  const searches = name.endsWith(INTERNET);
  return { model: searches ? name.slice(0, -INTERNET.length) : name, searches };
}

/** Models whose messages are lists of parts, at a path of their own. */
const MULTIMODAL = /audio|-vl(?![a-z])|^qvq|ocr|-asr|^gui-|^qwen3\.[5-9]/;

export function isMultimodal(name: string): boolean {
  return MULTIMODAL.test(name);
}

/** Qwen-Audio is served by the native API only. https://help.aliyun.com/zh/model-studio/qwen-api-reference */
const NATIVE_ONLY = /^qwen2?-audio/;

export function isNativeOnly(name: string): boolean {
  return NATIVE_ONLY.test(name);
}

const SERVICES = "/api/v1/services/aigc";

export function pathOf(model: string): string {
  return `${SERVICES}/${isMultimodal(model) ? "multimodal-generation" : "text-generation"}/generation`;
}
