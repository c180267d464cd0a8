import { isClaude } from "./claude-models";

/** Geographies of cross-region inference, as AWS writes them in front of a model's id. */
type Geography = "us" | "us-gov" | "eu" | "apac" | "jp" | "au" | "global";

type BedrockModel = { id: string; geographies: readonly Geography[] };

const NOVA_GEOGRAPHIES: readonly Geography[] = ["us", "eu", "apac"];
const EVERYWHERE: readonly Geography[] = ["us", "eu", "jp", "au", "global"];

/**
 * Ids and inference profiles as AWS publishes them
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html), by the names of their makers.
 */
const MODELS: Readonly<Record<string, BedrockModel>> = {
  "claude-instant-1.2": { id: "anthropic.claude-instant-v1", geographies: [] },
  "claude-2.0": { id: "anthropic.claude-v2", geographies: [] },
  "claude-2.1": { id: "anthropic.claude-v2:1", geographies: [] },
  "claude-3-sonnet-20240229": claude("claude-3-sonnet-20240229-v1:0", ["us", "eu", "apac"]),
  "claude-3-opus-20240229": claude("claude-3-opus-20240229-v1:0", ["us"]),
  "claude-3-haiku-20240307": claude("claude-3-haiku-20240307-v1:0", ["us", "us-gov", "eu", "apac"]),
  "claude-3-5-sonnet-20240620": claude("claude-3-5-sonnet-20240620-v1:0", ["us", "us-gov", "eu", "apac"]),
  "claude-3-5-sonnet-20241022": claude("claude-3-5-sonnet-20241022-v2:0", ["us", "apac"]),
  "claude-3-5-haiku-20241022": claude("claude-3-5-haiku-20241022-v1:0", ["us"]),
  "claude-3-7-sonnet-20250219": claude("claude-3-7-sonnet-20250219-v1:0", ["us", "us-gov", "eu", "apac"]),
  "claude-sonnet-4-20250514": claude("claude-sonnet-4-20250514-v1:0", ["us", "eu", "apac", "global"]),
  "claude-opus-4-20250514": claude("claude-opus-4-20250514-v1:0", ["us"]),
  "claude-opus-4-1-20250805": claude("claude-opus-4-1-20250805-v1:0", ["us"]),
  "claude-sonnet-4-5-20250929": claude("claude-sonnet-4-5-20250929-v1:0", [...EVERYWHERE, "us-gov"]),
  "claude-haiku-4-5-20251001": claude("claude-haiku-4-5-20251001-v1:0", EVERYWHERE),
  "claude-opus-4-5-20251101": claude("claude-opus-4-5-20251101-v1:0", ["us", "eu", "global"]),
  "claude-opus-4-6": claude("claude-opus-4-6-v1", ["us", "eu", "au", "global"]),
  "claude-sonnet-4-6": claude("claude-sonnet-4-6", EVERYWHERE),
  "claude-opus-4-7": claude("claude-opus-4-7", ["us", "eu", "jp", "global"]),
  "claude-opus-4-8": claude("claude-opus-4-8", EVERYWHERE),
  "claude-sonnet-5": claude("claude-sonnet-5", EVERYWHERE),
  "nova-micro-v1:0": { id: "amazon.nova-micro-v1:0", geographies: [...NOVA_GEOGRAPHIES, "us-gov"] },
  "nova-lite-v1:0": { id: "amazon.nova-lite-v1:0", geographies: [...NOVA_GEOGRAPHIES, "us-gov"] },
  "nova-pro-v1:0": { id: "amazon.nova-pro-v1:0", geographies: [...NOVA_GEOGRAPHIES, "us-gov"] },
  "nova-premier-v1:0": { id: "amazon.nova-premier-v1:0", geographies: ["us"] },
  "nova-2-lite-v1:0": { id: "amazon.nova-2-lite-v1:0", geographies: ["us", "eu", "jp", "global"] },
};

function claude(name: string, geographies: readonly Geography[]): BedrockModel {
  return { id: `anthropic.${name}`, geographies };
}

/** The names without a date or version; the latest model with such a name has it. */
const ALIASES: ReadonlyMap<string, BedrockModel> = new Map(
  Object.entries(MODELS).map(([name, model]) => [name.replace(/-\d{8}$|-v1:0$/, ""), model]),
);

/** Of a model that is not listed: new ones are offered in these first. */
const USUAL: readonly Geography[] = ["us", "eu", "global"];

/** The id of a model in a region. Ids and ARNs of Bedrock, and names that are not known, stay as they are. */
export function bedrockModelId(name: string, region: string): string {
  if (isBedrockId(name)) return name;
  const { id, geographies } = findModel(name) ?? { id: name, geographies: [] };
  const found = geographiesOf(region).find((geography) => geographies.includes(geography));
  return found === undefined ? id : `${found}.${id}`;
}

function isBedrockId(name: string): boolean {
  return name.startsWith("arn:") || /(?:^|\.)anthropic\./.test(name);
}

function findModel(name: string): BedrockModel | undefined {
  const present = Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
  const known = present ?? ALIASES.get(name.replace(/-(?:latest|0)$/, ""));
  if (known || !isClaude(name)) return known;
  return claude(/-\d{8}$/.test(name) ? `${name}-v1:0` : name, USUAL);
}

/** Where a region's requests may go, the nearest first. */
function geographiesOf(region: string): readonly Geography[] {
  if (region.startsWith("us-gov-")) return ["us-gov"];
  if (region.startsWith("us-")) return ["us", "global"];
  if (region.startsWith("eu-")) return ["eu", "global"];
  if (region === "ap-northeast-1" || region === "ap-northeast-3") return ["jp", "apac", "global"];
  if (region === "ap-southeast-2" || region === "ap-southeast-4") return ["au", "apac", "global"];
  if (region.startsWith("ap-")) return ["apac", "global"];
  return region.startsWith("cn-") ? [] : ["global"];
}
