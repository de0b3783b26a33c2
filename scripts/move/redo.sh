set -e
cd .
git reset -q --hard ${1:-main}; git clean -fdq -e node_modules -e console/dist
python3 scripts/move/move.py > scripts/move/last.log
git add -A; git commit -qm "Move the sources into packages" 
python3 scripts/move/cfg.py; npm install --ignore-scripts --no-audit --no-fund >/dev/null 2>&1
for n in 1 2 3 4 5; do python3 scripts/move/fix$n.py; done
npm install --ignore-scripts --no-audit --no-fund >/dev/null 2>&1; rm -f node_modules/.bin/mediamill
node_modules/.bin/biome check --write . >/tmp/biome.log 2>&1 || tail -5 /tmp/biome.log
git add -A; git commit -qm "Set up the workspaces and adapt the scripts" 
python3 scripts/move/arch.py
cp scripts/move/architecture.test.ts.txt lab/architecture.test.ts
node_modules/.bin/tsc --noEmit | head -20
