import type { Metadata, Route } from "next";
import { cookies } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { getTranslations } from "next-intl/server";
import { type OutsideReturn, OutsideSignInReturn } from "@/components/auth/outside-sign-in-return";
import { Texts } from "@/components/shell/texts";
import { getActor } from "@/lib/auth/session";
import { isBegunInBrowser } from "@/lib/oauth/next-auth-flow";
import { TELEGRAM_QUERY } from "@/lib/oauth/telegram";
import { isCodeProvider, PROVIDER_NAME } from "@/lib/oauth/types";

type Query = Record<string, string>;

/** Message keys accepted in `?refused=`. Any other value in the URL is not shown. */
const REFUSAL = /^(oauth|telegram|wechat)[A-Z][A-Za-z]{1,60}$|^(userBanned|notSignedIn|stepUpRequired|internal)$/;

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("outside"))("pageTitle") };
}

export default async function OutsideReturnPage({ params, searchParams }: PageProps<"/oauth/[provider]">) {
  const { provider } = await params;
  if (!isCodeProvider(provider) && provider !== "telegram") notFound();
  const query = singles(await searchParams);
  const refusal = await refusalOf(provider, query);
  if (!refusal && isCodeProvider(provider) && (await isBegunInBrowser(query.state, (await cookies()).getAll()))) {
    redirect(`/api/auth/callback/${provider}?${returnedOf(query)}` as Route);
  }
  const back: OutsideReturn = refusal ? { type: "refused", message: refusal } : finishOf(provider, query);
  const [actor, t] = await Promise.all([getActor(), getTranslations("outside")]);
  return (
    <section
      aria-labelledby="outside-title"
      className="mx-auto flex min-h-80 max-w-108 flex-col items-center justify-center gap-4 px-4 py-16 text-center"
    >
      <h1 dir="auto" id="outside-title" className="font-semibold text-xl tracking-tight">
        {t("pageTitle")}
      </h1>
      <Texts of={["outside"]}>
        <OutsideSignInReturn back={back} signedIn={actor.type === "user"} />
      </Texts>
    </section>
  );
}

function singles(parameters: Record<string, string | string[] | undefined>): Query {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

/** The callback parameters that next-auth needs. */
function returnedOf({ code = "", state = "", iss }: Query): URLSearchParams {
  return new URLSearchParams({ code, state, ...(iss === undefined ? {} : { iss }) });
}

/** The reason why the sign-in cannot be completed, in the user's language; null when it can. */
async function refusalOf(provider: keyof typeof PROVIDER_NAME, query: Query): Promise<string | null> {
  const name = { provider: PROVIDER_NAME[provider] };
  if (query.error !== undefined && query.code === undefined) {
    const t = await getTranslations("outside");
    return query.error === "access_denied" ? t("cancelled", name) : t("providerError", name);
  }
  if (query.refused === undefined) return null;
  const t = await getTranslations("errors");
  const known = query.refused as Parameters<typeof t.has>[0];
  const say: (key: string, values: object) => string = t as never;
  return REFUSAL.test(known) && t.has(known) ? say(known, name) : t("internal");
}

function finishOf(provider: string, query: Query): OutsideReturn {
  if (isCodeProvider(provider)) return { type: "code", path: `/api/oauth/${provider}?${returnedOf(query)}` };
  const present = TELEGRAM_QUERY.flatMap((field) => (query[field] === undefined ? [] : [[field, query[field]]]));
  return {
    type: "telegram",
    path: `/api/oauth/telegram/login?${new URLSearchParams(present)}`,
    begun: query.begun ?? "",
    name: query.first_name ?? query.username ?? "",
  };
}
