import { UserX } from "lucide-react";
import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { getTurnstileSite } from "@/app/sign-in";
import { AuthCard } from "@/components/auth/auth-card";
import { OutsideSignIn } from "@/components/auth/outside-sign-in";
import { RegisterForm } from "@/components/auth/register-form";
import { MessagePage } from "@/components/shell/message-page";
import { Texts } from "@/components/shell/texts";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { getContext } from "@/lib/auth/session";
import { outsideFlags } from "@/lib/oauth/flags";
import { loadOptions } from "@/lib/option/queries";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("register"))("title") };
}

export default async function RegisterPage({ searchParams }: PageProps<"/register">) {
  const [{ aff }, { db }, turnstileSite, t] = await Promise.all([
    searchParams,
    getContext(),
    getTurnstileSite(),
    getTranslations("register"),
  ]);
  const options = await loadOptions(db);
  if (!options.RegisterEnabled) return <Closed />;
  const footer = t.rich("toLogin", {
    link: (text) => (
      <Link href="/login" className="text-primary underline underline-offset-4">
        {text}
      </Link>
    ),
  });
  return (
    <Texts of={["outside", "register"]}>
      <AuthCard title={t("title")} lead={t("lead")} footer={footer}>
        {options.PasswordRegisterEnabled ? (
          <RegisterForm
            withEmail={options.EmailVerificationEnabled}
            turnstileSite={turnstileSite}
            inviteCode={typeof aff === "string" ? aff : ""}
          />
        ) : (
          <p className="text-muted-foreground">{t("noPassword")}</p>
        )}
        <OutsideSignIn flags={outsideFlags(options)} />
      </AuthCard>
    </Texts>
  );
}

async function Closed() {
  const t = await getTranslations("register");
  return (
    <MessagePage icon={<UserX aria-hidden />} title={t("closedTitle")} text={t("closedText")}>
      <Button asChild variant="primary" size="md">
        <Link href="/login">{t("goLogin")}</Link>
      </Button>
    </MessagePage>
  );
}
