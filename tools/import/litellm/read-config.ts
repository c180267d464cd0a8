import { parse } from "yaml";
import { z } from "zod";
import { meantBaseUrl } from "@/lib/channel/meant-base-url";
import type { CreateChannelInput } from "@/lib/channel/schemas";
import { type Findings, leaveOut, noteChange } from "../findings";
import { PROVIDERS, splitModel } from "./providers";

const params = z.looseObject({ model: z.string() });
const deployment = z.looseObject({
  model_name: z.string(),
  litellm_params: params,
  model_info: z.unknown().optional(),
});
const config = z.looseObject({
  model_list: z.array(deployment).nullish(),
  credential_list: z
    .array(z.looseObject({ credential_name: z.string(), credential_values: z.record(z.string(), z.unknown()) }))
    .nullish(),
  general_settings: z.record(z.string(), z.unknown()).nullish(),
});
export type LitellmConfig = z.output<typeof config>;
type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLE = "os.environ/";
/** What has no place in a channel; its absence changes answers or charges. */
const LOST = ["timeout", "stream_timeout", "max_budget", "budget_duration", "tags", "extra_headers"];

/** Throws with the place of the error where the file is no config.yaml. */
export function readConfig(text: string): LitellmConfig {
  const read = config.safeParse(parse(text) ?? {});
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(`No config.yaml of LiteLLM: ${issue?.path.join(".")}: ${issue?.message}`);
}

/** A row of LiteLLM's table of models, decrypted; null = it names no model behind the name. */
export function readStoredDeployment(row: { name: string; params: unknown; info: unknown }): Deployment | null {
  const read = deployment.safeParse({ model_name: row.name, litellm_params: row.params, model_info: row.info });
  return read.success ? read.data : null;
}

export type ChannelPlan = { input: CreateChannelInput; limits: { requestsPerMinute: number; tokensPerMinute: number } };

/** One channel for each provider, address and key, with all models that it serves. */
export function planChannels(given: LitellmConfig, environment: Environment, findings: Findings): ChannelPlan[] {
  const channels = new Map<string, { plan: ChannelPlan; mapping: Map<string, string> }>();
  for (const deployment of given.model_list ?? []) {
    findings.read++;
    const found = readDeployment(deployment, given, environment, findings);
    if (typeof found === "string") {
      leaveOut(findings, found, deployment.model_name);
      continue;
    }
    const { name, limits, ...channel } = found;
    // The same name for two models of one account needs two channels.
    let key = JSON.stringify(channel);
    while ((channels.get(key)?.mapping.get(deployment.model_name) ?? name) !== name) key += "+";
    const known = channels.get(key);
    known?.mapping.set(deployment.model_name, name);
    if (known && limits.requestsPerMinute + limits.tokensPerMinute > 0)
      noteChange(
        findings,
        "limits per minute are a channel's here: set by its first model only",
        deployment.model_name,
      );
    if (!known)
      channels.set(key, {
        plan: { input: { ...channel, name: "", models: "" }, limits },
        mapping: new Map([[deployment.model_name, name]]),
      });
  }
  return [...channels.values()].map(({ plan, mapping }) => {
    const differing = [...mapping].filter(([from, to]) => from !== to);
    const models = [...mapping.keys()];
    return {
      ...plan,
      input: {
        ...plan.input,
        name: `litellm: ${models[0]}${models.length > 1 ? ` and ${models.length - 1} more` : ""}`.slice(0, 255),
        models: models.join(","),
        modelMapping: differing.length === 0 ? "" : JSON.stringify(Object.fromEntries(differing)),
      },
    };
  });
}

type Deployment = z.output<typeof deployment>;
type Found = Pick<
  CreateChannelInput,
  "type" | "key" | "baseUrl" | "other" | "openaiOrganization" | "priority" | "weight"
> & {
  name: string;
  limits: ChannelPlan["limits"];
};

function readDeployment(
  deployment: Deployment,
  given: LitellmConfig,
  environment: Environment,
  findings: Findings,
): Found | string {
  const { model_name: shown } = deployment;
  const all = withCredentials(deployment.litellm_params, given);
  if (all === null)
    return "its credential is not known: not in credential_list, nor in the database, or not to be decrypted";
  if (`${shown}${all.model}`.includes("*")) return "a wildcard: name the models in a channel of your own";
  const { provider, name } = splitModel(String(all.model), all.custom_llm_provider);
  const known = PROVIDERS[provider];
  if (!known) return `the provider ${provider || "of this model"} is unknown here`;
  const absent: string[] = [];
  const textFor = (field: string): string => {
    const value = all[field];
    const text = typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
    if (!text.startsWith(VARIABLE)) return text.trim();
    const variable = text.slice(VARIABLE.length);
    if (!environment[variable]) absent.push(variable);
    return environment[variable]?.trim() ?? "";
  };
  const key = (known.keyParts ?? ["api_key"]).map(textFor).join("|");
  const baseUrl = meantBaseUrl(known.type, textFor("api_base") || textFor("base_url")) || (known.baseUrl ?? "");
  const other = known.other === undefined ? "" : textFor(known.other);
  if (absent.length > 0) return `the variable ${absent[0]} is not set: set it for this command, and run it again`;
  if (/^\|*$/.test(key)) return "no key";
  for (const lost of LOST) if (all[lost] !== undefined) noteChange(findings, `${lost}: not carried over`, shown);
  const limits = { requestsPerMinute: limitOf(all.rpm), tokensPerMinute: limitOf(all.tpm) };
  const place = placeOf(all);
  return { type: known.type, key, baseUrl, other, openaiOrganization: textFor("organization"), ...place, name, limits };
}

/** There the lowest order comes first, here the highest priority. */
function placeOf({ order, weight }: Record<string, unknown>): { priority?: number; weight?: number } {
  const [given, share] = [limitOf(order), limitOf(weight)];
  return { ...(given > 0 ? { priority: -given } : {}), ...(share > 0 ? { weight: share } : {}) };
}

function withCredentials(
  given: Record<string, unknown>,
  { credential_list: list }: LitellmConfig,
): Record<string, unknown> | null {
  if (given.litellm_credential_name === undefined) return given;
  const found = (list ?? []).find(({ credential_name }) => credential_name === given.litellm_credential_name);
  return found ? { ...found.credential_values, ...given } : null;
}

export function limitOf(value: unknown): number {
  const limit = Number(value ?? 0);
  return Number.isSafeInteger(limit) && limit > 0 && limit <= 2_147_483_647 ? limit : 0;
}
