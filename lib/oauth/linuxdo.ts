import type { OptionValues } from "@/lib/option/registry";
import { cleanText, stableId } from "./ask-provider";
import { type Claims, type CodeSource, plainOAuth } from "./code-source";
import { answerUnusable, notConfigured } from "./refusals";
import { serverOf } from "./servers";
import type { OutsideIdentity } from "./types";

const DISPLAY_NAME_MAX = 20;

function identify(claims: Claims): OutsideIdentity {
  const id = stableId(claims.id);
  if (id === null) throw answerUnusable("linuxdo");
  const displayName = cleanText(claims.name, DISPLAY_NAME_MAX) || cleanText(claims.username, DISPLAY_NAME_MAX);
  return { provider: "linuxdo", id, displayName, preferredUsername: null };
}

/** connect.linux.do as a next-auth provider. Throws unavailable without credentials. */
export function linuxdo(options: OptionValues): CodeSource {
  const { LinuxDOServerAddress: site, LinuxDOClientId: clientId, LinuxDOClientSecret: clientSecret } = options;
  if (clientId === "" || clientSecret === "") throw notConfigured("linuxdo");
  return {
    ...plainOAuth("linuxdo"),
    clientId,
    clientSecret,
    endpoints: {
      authorization: `${site}/oauth2/authorize`,
      token: `${site}/oauth2/token`,
      userInfo: `${site}/api/user`,
    },
    checks: ["state", "pkce"],
    identify: (claims) => ({ ...identify(claims), issuer: serverOf(options, "linuxdo") }),
  };
}
