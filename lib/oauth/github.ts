import GithubProvider from "next-auth/providers/github";
import type { OptionValues } from "@/lib/option/registry";
import { cleanText, stableId } from "./ask-provider";
import { type Claims, type CodeSource, plainOAuth } from "./code-source";
import { answerUnusable, notConfigured } from "./refusals";
import { serverOf } from "./servers";
import type { OutsideIdentity } from "./types";

const DISPLAY_NAME_MAX = 20;

function identify(claims: Claims): OutsideIdentity {
  // The numeric id: a login name can be given up and taken by another user.
  const id = typeof claims.id === "number" ? stableId(claims.id) : null;
  if (id === null) throw answerUnusable("github");
  const displayName = cleanText(claims.name, DISPLAY_NAME_MAX) || cleanText(claims.login, DISPLAY_NAME_MAX);
  return { provider: "github", id, displayName, preferredUsername: null };
}

/** next-auth's GitHub provider, for github.com or an Enterprise Server. Throws unavailable without credentials. */
export function github(options: OptionValues): CodeSource {
  const { GitHubServerAddress: site, GitHubApiAddress: api } = options;
  const { GitHubClientId: clientId, GitHubClientSecret: clientSecret } = options;
  if (clientId === "" || clientSecret === "") throw notConfigured("github");
  return {
    ...plainOAuth("github"),
    clientId,
    clientSecret,
    issuer: `${site}/login/oauth`,
    endpoints: {
      authorization: `${site}/login/oauth/authorize`,
      token: `${site}/login/oauth/access_token`,
      userInfo: `${api}/user`,
    },
    scope: "user:email",
    checks: ["state", "pkce"],
    base: GithubProvider({ clientId, clientSecret }),
    identify: (claims) => ({ ...identify(claims), issuer: serverOf(options, "github") }),
  };
}
