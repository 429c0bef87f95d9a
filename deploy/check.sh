#!/usr/bin/env bash
# deploy/check.sh DIR [FLAG…]: one round of the link checker and one of the sources over the records in DIR, a folder of the git
# repository in which it runs. What was seen is pushed as the branch almanac-check and proposed as a pull request whose text is the
# report. If it cannot be pushed or proposed, the report becomes an issue. FLAGs are those of almanac check.
# It needs almanac, git and gh, and GH_TOKEN for gh. The branch almanac-check-state remembers the sections of pages between rounds.
set -euo pipefail
dir=$1 branch=almanac-check out=$(mktemp -d)
shift

if git fetch -q origin "$branch-state" 2>/dev/null; then git show FETCH_HEAD:almanac-sources.json >"$out/state"; fi
found=0
almanac check -links "$@" -journal "$out/links.jsonl" "$dir" >"$out/links" || found=1
almanac check -facts -w "$@" -journal "$out/facts.jsonl" -state "$out/state" -report "$out/stale.md" "$dir" >"$out/facts" || found=1
if [ -s "$out/state" ]; then
  tree=$(printf '100644 blob %s\talmanac-sources.json\n' "$(git hash-object -w "$out/state")" | git mktree)
  git push -qf origin "$(git commit-tree -m 'What the last round saw' "$tree"):refs/heads/$branch-state" || true
fi

{
  printf 'Links: %s\nSources: %s\n\n' "$(tail -n 1 "$out/links")" "$(grep ' claims: ' "$out/facts" || echo 'the round did not end.')"
  cat "$out/stale.md" 2>/dev/null || true
  printf '\n# Links that need attention\n\n```\n%s\n```\n' "$(sed '$d' "$out/links")"
} | head -c 60000 >"$out/report.md" # GitHub takes 65,536 characters

# tell pr|issue TITLE [FLAG…] opens one with the report, or gives the report to the open one.
tell() {
  local kind=$1 title=$2 number
  shift 2
  number=$(gh "$kind" list --state open --search "in:title \"$title\"" --json number --jq '.[0].number // empty')
  if [ -n "$number" ]; then
    gh "$kind" edit "$number" --body-file "$out/report.md"
  else
    gh "$kind" create --title "$title" --body-file "$out/report.md" "$@"
  fi
}

propose() {
  almanac check "$dir" >"$out/check" && git checkout -qB "$branch" && git add -A -- "$dir" &&
    git commit -qm 'A round of the links and sources' && git push -qf origin "$branch" && tell pr 'A round of the links and sources' --head "$branch"
}

if [ -n "$(git status --porcelain -- "$dir")" ]; then
  propose || tell issue 'A round of the links and sources that could not be proposed'
elif [ "$found" = 1 ]; then
  tell issue 'A round of the links and sources that could not be proposed'
fi
