import { englishText } from "@/lib/i18n/english-text";
import { saveOptions } from "@/lib/option/commands";
import { isSecret, loadOptions, readOptionTexts } from "@/lib/option/queries";
import { isOptionKey, type OptionKey, parseOption } from "@/lib/option/registry";
import { type Findings, leaveOut, noteChange } from "./findings";
import { keepEntries } from "./kept-entries";
import type { StepContext } from "./step";
import { quotaPerUnit } from "./steps/topups";

/** Other names of the same options, in one-api. */
const RENAMED: Record<string, OptionKey> = {
  OidcEnabled: "oidc.enabled",
  OidcClientId: "oidc.client_id",
  OidcClientSecret: "oidc.client_secret",
  OidcWellKnown: "oidc.well_known",
  OidcAuthorizationEndpoint: "oidc.authorization_endpoint",
  OidcTokenEndpoint: "oidc.token_endpoint",
  OidcUserinfoEndpoint: "oidc.user_info_endpoint",
};
type Change = { key: OptionKey; value: string };

const SHOWN_MAX = 60;
/** Without these the prices of that system's own list applied there, and those of Weir's list do here. */
const PRICES = ["ModelRatio", "CompletionRatio"] as const;

/** Takes the options that differ, or says which do. `wanted` is false where this Weir has options of its own. */
export async function importOptions(at: StepContext, wanted: boolean): Promise<void> {
  const { findings, options } = at;
  const given = [...options].flatMap(([name, value]) => {
    findings.read++;
    const key = RENAMED[name] ?? name;
    if (isOptionKey(key)) return [{ key, value }];
    if (value !== "")
      leaveOut(findings, `no such option: ${name}`, shown(value, /key|secret|token|password/i.test(name)));
    return [];
  });
  const current = await textsHere(
    at,
    given.map(({ key }) => key),
  );
  const differing = given
    .filter(({ key, value }) => value !== current[key] && !(isSecret(key) && value === ""))
    .map((change) => withoutBadEntries(change, findings));
  const refused = await apply(at, differing, wanted);
  for (const { key, value } of differing) {
    const step = `${shown(current[key], isSecret(key))} → ${shown(value, isSecret(key))}`;
    const reason = refused.get(key);
    if (!wanted) leaveOut(findings, `${key}: kept as it is here (--options takes it)`, step);
    else if (reason !== undefined) leaveOut(findings, `${key}: ${reason}`, step);
    else {
      findings.moved++;
      noteChange(findings, key, step);
    }
  }
  for (const key of PRICES)
    if (!options.has(key))
      noteChange(findings, `${key} is not set there: that system's built-in list applied, Weir's applies here`, key);
}

/** Of a map or list of which not all entries are valid here, those that are; the others are named one by one. */
function withoutBadEntries({ key, value }: Change, findings: Findings): Change {
  const kept = isSecret(key) ? null : keepEntries(value, (text) => isValid(key, text));
  for (const entry of kept?.leftOut ?? [])
    leaveOut(findings, `${key}: the entry ${entry.name} is not valid here, the others are`, entry.value);
  return { key, value: kept?.text ?? value };
}

/** What the options are here, secrets too: only to compare. */
async function textsHere(at: StepContext, keys: readonly OptionKey[]): Promise<Partial<Record<OptionKey, string>>> {
  const values = await loadOptions(at.ctx.db);
  const secrets = keys.filter(isSecret).map((key) => [key, String(values[key])]);
  return {
    ...(await readOptionTexts(
      at.ctx.db,
      keys.filter((key) => !isSecret(key)),
    )),
    ...Object.fromEntries(secrets),
  };
}

/** Why options were refused, by key. */
async function apply(at: StepContext, changes: readonly Change[], wanted: boolean) {
  const refused = new Map<string, string>();
  if (!wanted) return refused;
  if (at.settings.dryRun) {
    for (const { key, value } of changes) if (!isValid(key, value)) refused.set(key, "not valid here");
    return refused;
  }
  for (const { key, error } of await saveOptions(at.ctx, changes))
    if (error) refused.set(key, `refused (${englishText(error)})`);
  return refused;
}

function isValid(key: OptionKey, value: string): boolean {
  try {
    parseOption(key, value);
    return true;
  } catch {
    return false;
  }
}

function shown(value: string | undefined, isSecretValue: boolean): string {
  if (value === undefined || value === "") return "(empty)";
  if (isSecretValue) return "(secret)";
  const line = value.replaceAll(/\s+/g, " ");
  return line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX)}… (${value.length} characters)` : line;
}

/** Balances are numbers of units: they are worth the same only where a unit is. Throws where it is not. */
export async function assertSameUnit(at: StepContext, takesOptions: boolean): Promise<void> {
  const there = quotaPerUnit(at.options);
  const { QuotaPerUnit: here } = await loadOptions(at.ctx.db);
  if (there === here || (takesOptions && at.settings.dryRun)) return;
  throw new Error(
    `A dollar is ${there} units there and ${here} here (QuotaPerUnit), so every balance would be worth something else. Set the option to the same on both sides. Nothing was imported.`,
  );
}
