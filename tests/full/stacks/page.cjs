// page.cjs PROFILE SCREENSHOT - opens a profile in speedscope's page, in a Chromium without a window: it
// lists each profile with its total, and paints the first. CHROMIUM: another command for it. Validates the
// file with speedscope's schema first.
const fs = require('fs'), http = require('http'), path = require('path')
const { spawn } = require('child_process')
const Ajv = require('ajv')

const [, , file, picture] = process.argv
const release = path.dirname(require.resolve('speedscope/dist/release/index.html'))
const profile = JSON.parse(fs.readFileSync(file))
const schema = JSON.parse(fs.readFileSync(path.join(release, 'file-format-schema.json')))
const types = {
    '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json',
}

function fail(why) {
    console.error(`FAILED: ${why}`)
    process.exit(1)
}

function answer(request, response) {
    const name = path.basename(new URL(request.url, 'http://x').pathname) || 'index.html'
    const from = name === 'profile.json' ? file : path.join(release, name)
    if (!fs.existsSync(from))
        return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': types[path.extname(name)] || 'application/octet-stream' })
    response.end(fs.readFileSync(from))
}

function run(port, extra) {
    const url = `http://127.0.0.1:${port}/`
    const opened = `${url}#profileURL=${encodeURIComponent(url + 'profile.json')}`
    const options = ['--headless=new', '--no-sandbox', '--hide-scrollbars', '--window-size=1400,900',
        '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
        `--user-data-dir=${path.dirname(picture)}/browser`, '--virtual-time-budget=20000']
    return new Promise((resolve) => {
        let out = ''
        const child = spawn(process.env.CHROMIUM || 'chromium', [...options, extra, opened],
            { stdio: ['ignore', 'pipe', 'ignore'], timeout: 120000 })
        child.stdout.on('data', (part) => { out += part })
        child.on('error', (error) => fail(error.message))
        child.on('close', () => resolve(out))
    })
}

// As the page writes times.
function total(p) {
    for (const [unit, size] of [['s', 1e9], ['ms', 1e6], ['µs', 1e3]])
        if (p.endValue >= size)
            return `${(p.endValue / size).toFixed(2)}${unit}`
    return `${p.endValue.toFixed(0)}ns`
}

function plain(text) {
    for (const [name, is] of [['lt', '<'], ['gt', '>'], ['quot', '"'], ['amp', '&']])
        text = text.replaceAll(`&${name};`, is)
    return text
}

async function main(port) {
    const page = await run(port, '--dump-dom')
    const row = /<tr title="([^"]*)"[^>]*>.*?<td[^>]*>(\d+)<\/td>.*?<td[^>]*>([^<]*)<\/td><\/tr>/g
    const rows = [...page.matchAll(row)].map((m) => `${plain(m[1])}: ${m[3]}`)
    const want = profile.profiles.map((p) => `${p.name}: ${total(p)}`)
    if (JSON.stringify(rows) !== JSON.stringify(want))
        fail(`the page lists\n${rows.join('\n')}\nnot\n${want.join('\n')}`)
    await run(port, `--screenshot=${picture}`)
    if (!fs.existsSync(picture) || fs.statSync(picture).size < 20000)
        fail('the page paints nothing')
    console.log(`speedscope's page: ${rows.length} profiles`)
    process.exit(0)
}

const valid = new Ajv({ strict: false }).compile(schema)
if (!valid(profile))
    fail(`schema: ${JSON.stringify(valid.errors.slice(0, 2))}`)
if (profile.profiles.some((p) => p.unit !== 'nanoseconds'))
    fail('the recording must be of times')
const server = http.createServer(answer).listen(0, '127.0.0.1', () => main(server.address().port))
