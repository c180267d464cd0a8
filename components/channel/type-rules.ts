/** What the address of a channel means for its type; "none" = the type has a fixed one. */
export type AddressKind = "mirror" | "azure" | "full" | "private" | "suno" | "none";
/** What the field `other` holds for a type; "" = nothing. */
export type OtherKind = "version" | "spark" | "library" | "account" | "region" | "";

export type TypeRule = {
  address: AddressKind;
  other: OtherKind;
  /** The parts of a key in the order they are joined in; empty = one text. */
  keyParts: readonly string[];
  separator: string;
  /** The official address, as an example. */
  example: string;
};

const USUAL: TypeRule = { address: "mirror", other: "", keyParts: [], separator: "|", example: "" };

const RULES: Record<number, Partial<TypeRule>> = {
  1: { example: "https://api.openai.com" },
  2: { example: "https://oa.api2d.net" },
  3: { address: "azure", other: "version", example: "https://my-resource.openai.azure.com" },
  4: { example: "http://localhost:11434" },
  8: { address: "full", example: "https://api.openai.com/v1/chat/completions" },
  14: { example: "https://api.anthropic.com" },
  15: { keyParts: ["APIKey", "SecretKey"], example: "https://aip.baidubce.com" },
  16: { example: "https://open.bigmodel.cn" },
  17: { example: "https://dashscope.aliyuncs.com" },
  18: { other: "spark", keyParts: ["APPID", "APISecret", "APIKey"] },
  19: { example: "https://api.360.cn" },
  20: { example: "https://openrouter.ai/api" },
  21: { other: "library", example: "https://api.aiproxy.io" },
  22: {
    address: "private",
    keyParts: ["APIKey", "AppId"],
    separator: "-",
    example: "https://fastgpt.example/api/openapi",
  },
  23: { keyParts: ["AppId", "SecretId", "SecretKey"], example: "https://hunyuan.tencentcloudapi.com" },
  24: { example: "https://generativelanguage.googleapis.com" },
  25: { example: "https://api.moonshot.cn" },
  26: { example: "https://open.bigmodel.cn" },
  31: { example: "https://api.lingyiwanwu.com" },
  33: { address: "none", keyParts: ["Ak", "Sk", "Region"] },
  34: { example: "https://api.cohere.ai" },
  35: { example: "https://api.minimax.chat" },
  36: { address: "suno", example: "https://suno.example" },
  37: { example: "https://api.dify.ai" },
  38: { example: "https://api.jina.ai" },
  39: { other: "account", example: "https://api.cloudflare.com" },
  40: { example: "https://api.siliconflow.cn" },
  41: { address: "none", other: "region" },
  42: { example: "https://api.mistral.ai" },
  43: { example: "https://api.deepseek.com" },
  44: { example: "https://api.moka.ai" },
  45: { address: "none" },
  46: { example: "https://qianfan.baidubce.com" },
  48: { example: "https://api.x.ai" },
};

export const VERTEX = 41;
export const CUSTOM = 8;
export const OPENAI = 1;

/** Which fields a type of channel has, and what they hold (console §3). */
export function ruleOf(type: number): TypeRule {
  return { ...USUAL, ...RULES[type] };
}

/** Whether a key, or each of several lines, has the form that its type needs. Nothing is fine: the server says if not. */
export function isKeyWellFormed(type: number, text: string): boolean {
  if (text.trim() === "") return true;
  if (type === VERTEX) return isJsonObject(text);
  const { keyParts, separator } = ruleOf(type);
  // A dash may be part of what it joins.
  if (keyParts.length === 0 || separator !== "|") return true;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.every((line) => {
    const parts = line.split(separator);
    return parts.length === keyParts.length && parts.every((part) => part.trim() !== "");
  });
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
