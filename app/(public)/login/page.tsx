import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import type { ReactNode } from "react";
import { getTurnstileSite } from "@/app/sign-in";
import { getSite } from "@/app/site";
import { AuthCard } from "@/components/auth/auth-card";
import { LoginForm } from "@/components/auth/login-form";
import { OutsideSignIn } from "@/components/auth/outside-sign-in";
import { Texts } from "@/components/shell/texts";
import { Link } from "@/components/ui/link";
import { findAccount } from "@/lib/auth/queries";
import { redirectTarget } from "@/lib/auth/redirect-target";
import { getContext } from "@/lib/auth/session";
import { outsideFlags } from "@/lib/oauth/flags";
import { loadOptions } from "@/lib/option/queries";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("login"))("title") };
}

export default async function LoginPage({ searchParams }: PageProps<"/login">) {
  const [{ expired, redirect }, ctx, { canRegister }, turnstileSite, t] = await Promise.all([
    searchParams,
    getContext(),
    getSite(),
    getTurnstileSite(),
    getTranslations("login"),
  ]);
  const [options, account] = await Promise.all([
    loadOptions(ctx.db),
    ctx.actor.type === "user" ? findAccount(ctx.db, ctx.actor.id) : null,
  ]);
  const target = redirectTarget(redirect);
  const link = (href: "/register" | "/reset") => (text: ReactNode) => (
    <Link href={href} className="text-primary underline underline-offset-4">
      {text}
    </Link>
  );
  const footer = (
    <span className="flex flex-wrap justify-center gap-x-6 gap-y-1">
      {canRegister ? <span>{t.rich("toRegister", { link: link("/register") })}</span> : null}
      {options.PasswordLoginEnabled ? <span>{t.rich("toReset", { link: link("/reset") })}</span> : null}
    </span>
  );
  return (
    <Texts of={["outside"]}>
      <AuthCard title={t("title")} lead={t("subtitle")} footer={footer}>
        <LoginForm
          expired={expired === "true"}
          signedIn={account && { initialPassword: account.initialPassword }}
          target={target}
          turnstileSite={turnstileSite}
          withPassword={options.PasswordLoginEnabled}
        >
          <OutsideSignIn flags={outsideFlags(options)} target={target} />
        </LoginForm>
      </AuthCard>
    </Texts>
  );
}
