"""The feature of accounts, users and tokens."""

from timbra.core.features import Feature

FEATURE = Feature(
    "accounts",
    position=10,
    operations=("api.authentication", "api.users", "api.account_users", "api.balances", "api.certificates"),
    answers=("api.serializers",),
    pages=(
        "pages.accounts",
        "pages.certificates",
        "pages.password",
        "pages.second_factor",
        "pages.sign_in",
        "pages.sign_in_links",
        "pages.tokens",
        "pages.users",
    ),
    commands=("commands.account", "commands.approval", "commands.token", "commands.user", "commands.vault"),
    tables=("vault.tables",),
    services=("build", "certificates"),
    jobs=("build",),
    diagnostics=("build",),
    rotations=("vault.efirma", "second_factor.second_factors"),
)
