import { defaultOptions } from "@/lib/option/registry";
import type { Unique } from "./lookup-queries";

export type BindingPlace = {
  /** Of the source. */
  column: string;
  what: Unique;
  idColumn: string;
  /** The server that gives the ids; null = not known. */
  place: string | null;
  placeColumn: string | null;
  form: RegExp;
};

const ANY = /^[\x21-\x7e]{1,255}$/;
const NUMBER = /^[1-9]\d{0,18}$/;

function hostOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).host : null;
}

/** Until its owner signs in, a binding belongs to the provider that was configured: lib/oauth/oidc-issuer.ts. */
function issuerOf(options: ReadonlyMap<string, string>): string | null {
  const first = (...keys: string[]) => keys.map((key) => options.get(key)).find(Boolean);
  const address = first("oidc.well_known", "OidcWellKnown", "oidc.user_info_endpoint", "OidcUserinfoEndpoint");
  return address === undefined ? null : `configured:${address}`;
}

/** Where the ids of sign-in bindings are from, by the options of the source. */
export function placesOf(options: ReadonlyMap<string, string>): BindingPlace[] {
  const ours = defaultOptions();
  return [
    {
      column: "github_id",
      what: "github",
      idColumn: "github_id",
      place: hostOf(ours.GitHubApiAddress),
      placeColumn: "github_server",
      // Old versions kept the login name, which somebody else may have today.
      form: NUMBER,
    },
    {
      column: "oidc_id",
      what: "oidc",
      idColumn: "oidc_id",
      place: issuerOf(options),
      placeColumn: "oidc_issuer",
      form: ANY,
    },
    {
      column: "wechat_id",
      what: "wechat",
      idColumn: "wechat_id",
      place: hostOf(options.get("WeChatServerAddress") ?? ""),
      placeColumn: "wechat_server",
      form: ANY,
    },
    { column: "telegram_id", what: "telegram", idColumn: "telegram_id", place: "", placeColumn: null, form: ANY },
    {
      column: "linux_do_id",
      what: "linuxDo",
      idColumn: "linux_do_id",
      place: hostOf(ours.LinuxDOServerAddress),
      placeColumn: "linux_do_server",
      form: NUMBER,
    },
  ];
}
